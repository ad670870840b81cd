import type { Worker } from "node:worker_threads";
import { RestartingThread } from "../../../foundation/workers/restarting-thread.js";
import { startWorkerThread, WorkerThread } from "../../../foundation/workers/worker-thread.js";
import type { RedactionEntry } from "../../settings.js";
import type { Trace } from "../trace.js";
import type { RedactionApi, RedactionOptions } from "./redaction-api.js";
import { type Redacted, type Redactor, withhold, withoutTexts } from "./redactor.js";
import { textsOf, withTexts } from "./texts-of-trace.js";

/** Far beyond what a pattern needs for a text of some megabytes, unless it is one that explodes (guess). */
const LIMIT_MS = 250;

export interface WorkerRedactorOptions {
  /** Longest time for the texts of one trace, in milliseconds; default 250. */
  readonly limitMs?: number;
  /** Starts a thread that serves `RedactionApi`. */
  readonly startWorker?: (options: RedactionOptions) => Worker;
}

/**
 * Redacts in a worker thread, so that no pattern and no text can hold up the process. A trace whose texts take longer than
 * the limit is withheld, as are those that are in the thread's hands should it end; it is then started anew.
 */
export function openWorkerRedactor(
  entries: readonly RedactionEntry[],
  options: WorkerRedactorOptions = {},
): Redactor {
  return new WorkerRedactor({ entries, limitMs: options.limitMs ?? LIMIT_MS }, options.startWorker ?? start);
}

const start = (options: RedactionOptions): Worker =>
  startWorkerThread("gateway/traces/redaction/worker", options);

class WorkerRedactor implements Redactor {
  readonly #threads: RestartingThread<RedactionApi>;

  constructor(options: RedactionOptions, startWorker: (options: RedactionOptions) => Worker) {
    this.#threads = new RestartingThread(
      () => new WorkerThread(startWorker(options), { name: "the thread that redacts" }),
    );
    this.#threads.running();
  }

  async redact(traces: readonly Trace[]): Promise<Redacted> {
    const answer = await this.#redact(traces.map(textsOf));
    if (answer === undefined) return withhold(traces);
    const redacted = traces.map((trace, at) => {
      const texts = answer[at] ?? null;
      return texts === null ? withoutTexts(trace) : withTexts(trace, texts);
    });
    return { traces: redacted, withheld: answer.filter((texts) => texts === null).length };
  }

  async redactText(text: string): Promise<string | null> {
    const answer = await this.#redact([[text]]);
    return answer?.[0]?.[0] ?? null;
  }

  async close(): Promise<void> {
    await this.#threads.terminate(new Error("The redactor is closed."));
  }

  /** Undefined when the thread ended before it had answered. */
  #redact(
    texts: Parameters<RedactionApi["redact"]>[0],
  ): Promise<ReturnType<RedactionApi["redact"]> | undefined> {
    return this.#threads
      .running()
      .call("redact", texts)
      .catch(() => undefined);
  }
}
