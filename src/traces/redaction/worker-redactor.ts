import type { Worker } from "node:worker_threads";
import type { RedactionEntry } from "../../settings/settings.js";
import { startWorkerThread } from "../../workers/start-worker.js";
import type { Trace } from "../trace.js";
import type { RedactionAnswer, RedactionOptions, RedactionRequest } from "./redaction-api.js";
import { type Redacted, type Redactor, withhold, withoutTexts } from "./redactor.js";
import { textsOf, withTexts } from "./texts-of-trace.js";

/** Far beyond what a pattern needs for a text of some megabytes, unless it is one that explodes (guess). */
const LIMIT_MS = 250;

export interface WorkerRedactorOptions {
  /** Longest time for the texts of one trace, in milliseconds; default 250. */
  readonly limitMs?: number;
  /** Starts a thread that speaks the messages of `redaction-api.ts`. */
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

const start = (options: RedactionOptions): Worker => startWorkerThread("traces/redaction/worker", options);

type Answer = RedactionAnswer["texts"] | undefined;

class WorkerRedactor implements Redactor {
  readonly #options: RedactionOptions;
  readonly #startWorker: (options: RedactionOptions) => Worker;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #worker: Worker | undefined;
  #requests = 0;

  constructor(options: RedactionOptions, startWorker: (options: RedactionOptions) => Worker) {
    this.#options = options;
    this.#startWorker = startWorker;
    this.#worker = this.#started();
  }

  async redact(traces: readonly Trace[]): Promise<Redacted> {
    const answer = await this.#ask(traces.map(textsOf));
    if (answer === undefined) return withhold(traces);
    const redacted = traces.map((trace, at) => {
      const texts = answer[at] ?? null;
      return texts === null ? withoutTexts(trace) : withTexts(trace, texts);
    });
    return { traces: redacted, withheld: answer.filter((texts) => texts === null).length };
  }

  async redactText(text: string): Promise<string | null> {
    const answer = await this.#ask([[text]]);
    return answer?.[0]?.[0] ?? null;
  }

  async close(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #ask(texts: RedactionRequest["texts"]): Promise<Answer> {
    this.#worker ??= this.#started();
    const worker = this.#worker;
    const request = this.#requests++;
    return new Promise((resolve) => {
      this.#waiting.set(request, resolve);
      worker.postMessage({ request, texts } satisfies RedactionRequest);
    });
  }

  #started(): Worker {
    const worker = this.#startWorker(this.#options);
    worker.on("message", ({ request, texts }: RedactionAnswer) => this.#answer(request, texts));
    worker.on("error", () => {});
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = undefined;
      for (const request of this.#waiting.keys()) this.#answer(request, undefined);
    });
    return worker;
  }

  #answer(request: number, answer: Answer): void {
    this.#waiting.get(request)?.(answer);
    this.#waiting.delete(request);
  }
}
