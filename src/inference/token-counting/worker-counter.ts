import type { Worker } from "node:worker_threads";
import type { Cancel, Timers } from "../../foundation/timers.js";
import { startWorkerThread } from "../../workers/start-worker.js";
import { type CountOptions, TokenCountError, type TokenCounter } from "./token-counter.js";
import type { CountAnswer, CountRequest } from "./token-counting-api.js";

export interface WorkerCounterOptions {
  readonly timers: Timers;
  /** Starts a thread that handles the messages of `token-counting-api.ts`. */
  readonly startWorker?: () => Worker;
}

/** Idle time after which the thread ends, which releases its memory (guess). */
const IDLE_MS = 300_000;

/** Number of threads that may end during one count before it is rejected, in case its text crashes them. */
const MOST_THREADS = 2;

interface Waiting {
  readonly question: CountRequest;
  readonly resolve: (tokens: number) => void;
  readonly reject: (reason: TokenCountError) => void;
  /** Threads that received this count. */
  threads: number;
}

/**
 * Counts in a worker thread, so that neither loading the tokenizer's tables nor a long text blocks the process. The
 * thread starts with the first count, which most installations never need, uses about 80 MB (measured), and ends after
 * five idle minutes. When it ends unexpectedly, a new one takes over pending counts. It keeps the process alive only
 * while counting.
 */
export class WorkerCounter implements TokenCounter {
  readonly #options: WorkerCounterOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #requests = 0;
  #stopIdling: Cancel = () => {};
  #isClosed = false;
  #whenIdle: () => void = () => {};

  constructor(options: WorkerCounterOptions) {
    this.#options = options;
  }

  count(texts: readonly string[], options: CountOptions): Promise<number> {
    if (this.#isClosed)
      return Promise.reject(new TokenCountError("The server is stopping: nothing is counted."));
    const request = this.#requests++;
    return new Promise((resolve, reject) => {
      this.#ask({ question: { request, texts, options }, resolve, reject, threads: 0 });
    });
  }

  /** Accepts no more counts, waits up to `graceMs` for pending ones, and ends the thread. */
  async close(graceMs: number): Promise<void> {
    this.#isClosed = true;
    if (this.#waiting.size > 0) await this.#idleWithin(graceMs);
    await this.#end();
    this.#giveUp("The server stopped before the tokens were counted.");
  }

  async #end(): Promise<void> {
    this.#stopIdling();
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ask(waiting: Waiting): void {
    this.#stopIdling();
    this.#worker ??= this.#started();
    this.#worker.ref();
    waiting.threads += 1;
    this.#waiting.set(waiting.question.request, waiting);
    this.#worker.postMessage(waiting.question);
  }

  #started(): Worker {
    const worker = (this.#options.startWorker ?? startWorker)();
    worker.on("message", ({ request, tokens }: CountAnswer) => this.#receive(request, tokens));
    worker.on("error", () => {});
    worker.on("exit", () => {
      // One that was closed, or replaced, owes nothing.
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#askAgain();
    });
    return worker;
  }

  #receive(request: number, tokens: number | null): void {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (tokens === null) waiting?.reject(new TokenCountError("The tokenizer failed."));
    else waiting?.resolve(tokens);
    if (this.#waiting.size > 0) return;
    this.#worker?.unref();
    this.#stopIdling = this.#options.timers.after(IDLE_MS, () => void this.#end());
    this.#whenIdle();
  }

  /** Sends the pending counts of an ended thread to a new one. */
  #askAgain(): void {
    const owed = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const waiting of owed) {
      if (waiting.threads < MOST_THREADS) this.#ask(waiting);
      else waiting.reject(new TokenCountError(`${MOST_THREADS} threads ended while they counted.`));
    }
    if (this.#waiting.size === 0) this.#whenIdle();
  }

  #idleWithin(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(graceMs, resolve);
      this.#whenIdle = () => {
        cancel();
        resolve();
      };
    });
  }

  #giveUp(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new TokenCountError(reason));
    this.#waiting.clear();
  }
}

const startWorker = (): Worker => startWorkerThread("inference/token-counting/worker", undefined);
