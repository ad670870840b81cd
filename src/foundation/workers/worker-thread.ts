import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";
import type { CancelSignal } from "../cancel-signal.js";
import { PACKAGE_ROOT } from "../package.js";
import { type NoMethods, type RpcApi, RpcChannel } from "./rpc-channel.js";
import { RpcError, receivedError } from "./rpc-error.js";
import type { FromThread, ToThread } from "./thread-messages.js";

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

/**
 * Calls methods of a worker thread that serves them with `serveThread`. When it ends, for whatever reason, pending calls
 * reject and `ended` says why; `RestartingThread` starts another. It keeps the process alive only while a call is pending.
 */
export class WorkerThread<Api extends RpcApi> {
  readonly #worker: Worker;
  readonly #channel: RpcChannel<Api, NoMethods>;
  readonly #exited: Promise<void>;
  /** Pending calls, and whoever waits for the end. */
  #waiting = 0;
  #reason: Error | undefined;
  #ended: Error | undefined;

  constructor(worker: Worker, { name }: WorkerThreadOptions) {
    this.#worker = worker;
    this.#channel = new RpcChannel(
      {
        send: (message) => worker.postMessage(message satisfies ToThread),
        onMessage: (listen) => {
          worker.on("message", (message: FromThread) => {
            if (message.kind === "unusable") this.#reason ??= receivedError(message.error);
            else listen(message);
          });
        },
      },
      {},
    );
    worker.on("error", (error: unknown) => {
      this.#reason ??= new RpcError(`${name} crashed: ${error instanceof Error ? error.message : error}`);
    });
    this.#exited = new Promise((resolve) => {
      worker.on("exit", (code) => {
        this.#ended = this.#reason ?? new RpcError(`${name} ended with exit code ${code}`);
        this.#channel.end(this.#ended);
        resolve();
      });
    });
    worker.unref();
  }

  /** Why the thread cannot be called any more, once it is gone with all that it held; undefined before. */
  get ended(): Error | undefined {
    return this.#ended;
  }

  /**
   * Calls a method, which waits until the thread is open.
   *
   * @throws SextantError as the method threw it; RpcError for every other error of it, when the thread could not be opened,
   * crashed or exited; the reason of `close` and `terminate`; the signal's reason
   */
  async call<Name extends keyof Api & string>(
    name: Name,
    parameters: Parameters<Api[Name]>[0],
    signal?: CancelSignal,
  ): Promise<ReturnType<Api[Name]>> {
    this.#wait();
    try {
      return await this.#channel.call(name, parameters, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#worker.unref();
    }
  }

  /** Calls a method without waiting for its result or its error. */
  notify<Name extends keyof Api & string>(name: Name, parameters: Parameters<Api[Name]>[0]): void {
    this.#channel.notify(name, parameters);
  }

  /** Aborts what runs, has the thread finish and waits for its end. Calls without a reply then reject with the reason. */
  async close(reason: Error): Promise<void> {
    this.#wait();
    this.#reason ??= reason;
    this.#worker.postMessage({ kind: "close", reason: reason.message } satisfies ToThread);
    await this.#exited;
  }

  /** Ends the thread at once, whatever it does. Pending calls reject with the reason. */
  async terminate(reason: Error): Promise<void> {
    this.#wait();
    this.#reason ??= reason;
    await this.#worker.terminate();
    await this.#exited;
  }

  #wait(): void {
    if (this.#waiting === 0) this.#worker.ref();
    this.#waiting += 1;
  }
}
