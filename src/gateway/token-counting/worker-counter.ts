import type { Worker } from "node:worker_threads";
import type { Cancel, Timers } from "../../foundation/timers.js";
import { RestartingThread } from "../../foundation/workers/restarting-thread.js";
import { startWorkerThread, WorkerThread } from "../../foundation/workers/worker-thread.js";
import {
  type CountOptions,
  TokenCountError,
  type TokenCounter,
  type TokenCountingApi,
} from "./token-counter.js";

export interface WorkerCounterOptions {
  readonly timers: Timers;
  /** Starts a thread that serves `TokenCountingApi`. */
  readonly startWorker?: () => Worker;
}

/** Idle time after which the thread ends, which releases its memory (guess). */
const IDLE_MS = 300_000;

/** Number of threads that may end during one count before it is rejected, in case its text crashes them. */
const MOST_THREADS = 2;

/**
 * Counts in a worker thread, so that neither loading the tokenizer's tables nor a long text blocks the process. The
 * thread starts with the first count, which most installations never need, takes about 30 MB (measured), and ends after
 * five idle minutes. When it ends unexpectedly, a new one takes over pending counts. It keeps the process alive only
 * while counting.
 */
export class WorkerCounter implements TokenCounter {
  readonly #timers: Timers;
  readonly #threads: RestartingThread<TokenCountingApi>;
  /** Counts under way. */
  #counting = 0;
  #isClosed = false;
  #cancelIdling: Cancel = () => {};
  #whenIdle: () => void = () => {};

  constructor({ timers, startWorker = startThread }: WorkerCounterOptions) {
    this.#timers = timers;
    this.#threads = new RestartingThread(
      () => new WorkerThread(startWorker(), { name: "the thread that counts tokens" }),
    );
  }

  async count(texts: readonly string[], options: CountOptions): Promise<number> {
    if (this.#isClosed) throw new TokenCountError("The server is stopping: nothing is counted.");
    this.#cancelIdling();
    this.#counting += 1;
    try {
      return await this.#ask({ texts, options });
    } finally {
      this.#counting -= 1;
      if (this.#counting === 0) this.#idle();
    }
  }

  /** Accepts no more counts, waits up to `graceMs` for pending ones, and ends the thread. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    this.#cancelIdling();
    if (this.#counting > 0) await this.#idleWithin(graceMs);
    await this.#threads.terminate(STOPPED);
  }

  async #ask(question: Parameters<TokenCountingApi["count"]>[0]): Promise<number> {
    for (let threads = 1; threads <= MOST_THREADS; threads++) {
      const thread = this.#threads.running();
      try {
        return await thread.call("count", question);
      } catch (error) {
        if (error === STOPPED) throw error;
        if (thread.ended === undefined) throw new TokenCountError("The tokenizer failed.");
      }
    }
    throw new TokenCountError(`${MOST_THREADS} threads ended while they counted.`);
  }

  #idle(): void {
    this.#whenIdle();
    if (this.#isClosed) return;
    this.#cancelIdling = this.#timers.after(IDLE_MS, () => void this.#threads.terminate(STOPPED));
  }

  #idleWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#timers.after(graceMs, resolve);
      this.#whenIdle = () => {
        cancel();
        resolve();
      };
    });
  }
}

const STOPPED = new TokenCountError("The server stopped before the tokens were counted.");

const startThread = (): Worker => startWorkerThread("gateway/token-counting/worker", undefined);
