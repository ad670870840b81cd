import type { Worker } from "node:worker_threads";
import { forEachCooperatively } from "../cooperative-batches.js";
import type { Trace } from "../trace.js";
import type { TraceLoss } from "./acknowledged.js";
import { rowsOf } from "./rows.js";
import type { Answer, Answers, FaultKind, FromWorker, Question, ToWorker } from "./trace-file-api.js";

/** Something that went wrong in the worker thread, or with it. */
export class WorkerFault extends Error {
  override readonly name = "WorkerFault";

  constructor(
    readonly fault: FaultKind,
    reason: string,
  ) {
    super(reason);
  }
}

/** Some tenths of a millisecond to make ready. */
const TRACES_OF_MESSAGE = 32;

interface Pending {
  readonly resolve: (value: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Questions to one worker thread. When it ends, whatever waits is rejected and `ended` says why. */
export class WorkerClient {
  /** Settles once: the file is open, with what was found missing, or it cannot be used (WorkerFault). */
  readonly ready: Promise<TraceLoss | undefined>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #reason: string | undefined;
  #ended: WorkerFault | undefined;
  #next = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    let failReady: (error: WorkerFault) => void = () => {};
    this.ready = new Promise((resolve, reject) => {
      failReady = reject;
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve(message.loss);
        else this.#receive(message);
      });
    });
    // Without a caller that awaits it, it must not be an unhandled rejection.
    this.ready.catch(() => {});
    worker.on("error", (error) => {
      this.#reason ??= `the thread that keeps them crashed (${error.message})`;
    });
    // Not before the thread is gone has it let go of the file.
    this.#exited = new Promise((resolve) => {
      worker.on("exit", () => {
        this.#ended = new WorkerFault("broken", this.#reason ?? "the thread that keeps them ended");
        failReady(this.#ended);
        for (const { reject } of this.#pending.values()) reject(this.#ended);
        this.#pending.clear();
        resolve();
      });
    });
  }

  /** Why the thread cannot be used any more; undefined while it can. */
  get ended(): WorkerFault | undefined {
    return this.#ended;
  }

  /** @throws WorkerFault, or the signal's reason */
  ask<Kind extends Question["kind"]>(
    question: Extract<Question, { kind: Kind }>,
    signal?: AbortSignal,
  ): Promise<Answers[Kind]> {
    const request = this.#next++;
    const abort = () => {
      this.#take(request)?.reject(signal?.reason);
      this.#send({ kind: "cancel", request });
    };
    const answer = new Promise<Answer>((resolve, reject) => {
      if (this.#ended !== undefined) reject(this.#ended);
      else if (signal?.aborted === true) reject(signal.reason);
      else {
        this.#pending.set(request, { resolve, reject });
        signal?.addEventListener("abort", abort, { once: true });
        this.#send({ kind: "ask", request, question });
      }
    });
    // The worker answers a question with what belongs to its kind.
    return answer.finally(() => signal?.removeEventListener("abort", abort)) as Promise<Answers[Kind]>;
  }

  /** Stores the traces, letting other work of this thread happen while they are made ready. */
  async append(traces: readonly Trace[]): Promise<void> {
    const batch = this.#next++;
    let part: Trace[] = [];
    await forEachCooperatively(traces, (trace, index) => {
      part.push(trace);
      if (part.length < TRACES_OF_MESSAGE && index < traces.length - 1) return;
      this.#send({ kind: "rows", batch, rows: rowsOf(part) });
      part = [];
    });
    await this.ask<"append">({ kind: "append" });
  }

  /** Lets the worker finish its appends, give up the file and end. */
  async close(reason: string): Promise<void> {
    this.#reason ??= reason;
    this.#send({ kind: "close" });
    await this.#exited;
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: Exclude<FromWorker, { kind: "ready" }>): void {
    if (message.kind === "unusable") this.#reason = message.reason;
    else if (message.kind === "answer") this.#take(message.request)?.resolve(message.value);
    else {
      if (message.fault === "broken") this.#reason ??= message.reason;
      this.#take(message.request)?.reject(new WorkerFault(message.fault, message.reason));
    }
  }

  #take(request: number): Pending | undefined {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    return pending;
  }
}
