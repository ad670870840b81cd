import type { Worker } from "node:worker_threads";
import { ExplainedError } from "../../foundation/errors.js";
import type { FromWorker, ReadyMessage, ToWorker } from "./embedding-api.js";

/** The worker thread ended, could not load the model or could not embed; the message says which. */
export class TransformersWorkerError extends ExplainedError {
  override readonly name = "TransformersWorkerError";
}

/** The worker thread cannot load a model because the transformers library is not installed. */
export class LibraryMissingError extends TransformersWorkerError {
  constructor() {
    super("the package @huggingface/transformers is not installed");
  }
}

interface Pending {
  readonly resolve: (vectors: Float32Array) => void;
  readonly reject: (error: unknown) => void;
}

/** Requests to one worker thread. When the thread ends, whatever waits is rejected and `ended` says why. */
export class WorkerConnection {
  /** Settles once: the model is loaded, or it never will be. */
  readonly ready: Promise<ReadyMessage>;
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #failReady: (error: Error) => void = () => {};
  #ended: Error | undefined;
  #nextRequest = 0;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.ready = new Promise((resolve, reject) => {
      this.#failReady = reject;
      worker.on("message", (message: FromWorker) => {
        if (message.kind === "ready") resolve(message);
        else this.#receive(message);
      });
    });
    // Whoever opened it awaits `ready`; a thread that is closed before that is no unhandled rejection.
    this.ready.catch(() => {});
    worker.on("error", (error) =>
      this.#end(new TransformersWorkerError(`the worker thread crashed: ${error.message}`)),
    );
    this.#exited = new Promise((resolve) => {
      worker.on("exit", (code) => {
        this.#end(new TransformersWorkerError(`the worker thread ended with code ${code}`));
        resolve();
      });
    });
  }

  /** Why the thread cannot be used any more; undefined while it can. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /** f32 [texts, dimensions], row by row. Rejects with the signal's reason, or when the model or the thread fails. */
  embed(texts: readonly string[], signal?: AbortSignal): Promise<Float32Array> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const request = this.#nextRequest++;
    const abort = () => {
      this.#take(request)?.reject(signal?.reason);
      this.#send({ kind: "abort", request });
    };
    const answer = new Promise<Float32Array>((resolve, reject) =>
      this.#pending.set(request, { resolve, reject }),
    );
    signal?.addEventListener("abort", abort, { once: true });
    this.#send({ kind: "embed", request, texts });
    return answer.finally(() => signal?.removeEventListener("abort", abort));
  }

  /** Rejects what waits, lets the run in progress finish, releases the model and ends the thread. */
  async close(reason: Error): Promise<void> {
    const loaded = this.#ended === undefined && (await settled(this.ready));
    this.#end(reason);
    if (loaded) this.#send({ kind: "close" });
    else await this.#worker.terminate();
    await this.#exited;
  }

  /** Ends the thread at once, also while it loads. */
  async terminate(reason: Error): Promise<void> {
    this.#end(reason);
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: Exclude<FromWorker, ReadyMessage>): void {
    if (message.kind === "not-installed") this.#end(new LibraryMissingError());
    else if (message.kind === "failed") this.#end(new TransformersWorkerError(message.message));
    else if (message.kind === "vectors") this.#take(message.request)?.resolve(message.vectors);
    else
      this.#take(message.request)?.reject(
        new TransformersWorkerError(`the model failed: ${message.message}`),
      );
  }

  #take(request: number): Pending | undefined {
    const pending = this.#pending.get(request);
    this.#pending.delete(request);
    return pending;
  }

  #end(reason: Error): void {
    this.#ended ??= reason;
    this.#failReady(this.#ended);
    for (const { reject } of this.#pending.values()) reject(this.#ended);
    this.#pending.clear();
  }
}

async function settled(ready: Promise<unknown>): Promise<boolean> {
  return ready.then(
    () => true,
    () => false,
  );
}
