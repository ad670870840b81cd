import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { CancelSignal } from "../cancel-signal.js";
import { PACKAGE_ROOT } from "../package.js";
import { RpcError, receivedError } from "./rpc-error.js";
import type { FromThread, RpcApi, ToThread } from "./thread-messages.js";

/**
 * Of the memory in which a thread makes its objects: V8 takes up to 48 MB and keeps it, of which a thread that works now and
 * then needs little.
 */
const YOUNG_MEGABYTES = 8;

/**
 * Starts a worker thread. Where the caller itself runs uncompiled (tests), the worker does too, through the development tool
 * that compiles on the way.
 *
 * @param entry path of its module below `src`, without extension: one of the entry points of `vite.package.config.ts`
 */
export function startWorkerThread(entry: string, workerData: unknown): Worker {
  const options = { workerData, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MEGABYTES } };
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(join(PACKAGE_ROOT, "dist", `${entry}.js`), { ...options, ...optionsOfNode() });
  const source = JSON.stringify(pathToFileURL(join(PACKAGE_ROOT, "src", `${entry}.ts`)).href);
  const code = `import("tsx/esm/api").then(({ register }) => { register(); return import(${source}); });`;
  return new Worker(code, { eval: true, ...options });
}

/** A thread inherits the options of the process. `--input-type`, which says what `-e` is, lets none start that has a file. */
function optionsOfNode(): { readonly execArgv?: string[] } {
  return process.execArgv.some((option) => option.startsWith("--input-type")) ? { execArgv: [] } : {};
}

export interface WorkerThreadOptions {
  /** What the thread is, as the subject of a sentence: "the thread that counts tokens". */
  readonly name: string;
}

interface Pending {
  /** Takes what the method of that name returns. */
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Calls methods of a worker thread that serves them with `serveThread`. When it ends, for whatever reason, pending calls
 * reject and `ended` says why; `RestartingThread` starts another. It keeps the process alive only while a call is pending.
 */
export class WorkerThread<Api extends RpcApi> {
  readonly #worker: Worker;
  readonly #pending = new Map<number, Pending>();
  readonly #exited: Promise<void>;
  #nextId = 0;
  /** Pending calls, and whoever waits for the end. */
  #waiting = 0;
  #reason: Error | undefined;
  /** Why the thread cannot be called any more, once it is gone with all that it held; undefined before. */
  ended: Error | undefined;

  constructor(worker: Worker, { name }: WorkerThreadOptions) {
    this.#worker = worker;
    worker.on("message", (message: FromThread) => this.#receive(message));
    worker.on("error", (error: unknown) => {
      this.#reason ??= new RpcError(`${name} crashed: ${error instanceof Error ? error.message : error}`);
    });
    this.#exited = new Promise((resolve) => {
      worker.on("exit", (code) => {
        this.ended = this.#reason ?? new RpcError(`${name} ended with exit code ${code}`);
        for (const { reject } of this.#pending.values()) reject(this.ended);
        this.#pending.clear();
        resolve();
      });
    });
    worker.unref();
  }

  /**
   * Calls a method, which waits until the thread is open.
   *
   * @throws SextantError as the method threw it; RpcError for every other error of it, when the thread could not be opened,
   * crashed or exited; the reason of `close` and `terminate`; the signal's reason; DataCloneError for parameters that cannot
   * be copied
   */
  async call<Name extends keyof Api & string>(
    name: Name,
    parameters: Parameters<Api[Name]>[0],
    signal?: CancelSignal,
  ): Promise<ReturnType<Api[Name]>> {
    signal?.throwIfAborted();
    if (this.ended !== undefined) throw this.ended;
    const id = this.#nextId++;
    this.#send({ kind: "call", id, name, parameters });
    const abort = (): void => {
      this.#take(id)?.reject(signal?.reason);
      this.#send({ kind: "abort", id });
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#wait();
    try {
      return await new Promise<ReturnType<Api[Name]>>((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
      });
    } finally {
      signal?.removeEventListener("abort", abort);
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#worker.unref();
    }
  }

  /** Calls a method without waiting for its result or its error. */
  notify<Name extends keyof Api & string>(name: Name, parameters: Parameters<Api[Name]>[0]): void {
    this.#send({ kind: "notification", name, parameters });
  }

  /** Aborts what runs, has the thread finish and waits for its end. Calls without a reply then reject with the reason. */
  async close(reason: Error): Promise<void> {
    this.#wait();
    this.#reason ??= reason;
    this.#send({ kind: "close", reason: reason.message });
    await this.#exited;
  }

  /** Ends the thread at once, whatever it does. Pending calls reject with the reason. */
  async terminate(reason: Error): Promise<void> {
    this.#wait();
    this.#reason ??= reason;
    await this.#worker.terminate();
    await this.#exited;
  }

  /** A message to a thread that has ended is lost. */
  #send(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromThread): void {
    if (message.kind === "unusable") this.#reason ??= receivedError(message.error);
    else if (message.kind === "result") this.#take(message.id)?.resolve(message.value as never);
    else this.#take(message.id)?.reject(receivedError(message.error));
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  #wait(): void {
    if (this.#waiting === 0) this.#worker.ref();
    this.#waiting += 1;
  }
}
