import type { RpcApi } from "./thread-messages.js";
import type { WorkerThread } from "./worker-thread.js";

/** A thread that keeps nothing from one call to the next: the first use starts it, and the next after its end starts another. */
export class RestartingThread<Api extends RpcApi> {
  readonly #start: () => WorkerThread<Api>;
  #thread: WorkerThread<Api> | undefined;

  constructor(start: () => WorkerThread<Api>) {
    this.#start = start;
  }

  /** The thread that runs; started now when there is none. */
  running(): WorkerThread<Api> {
    if (this.#thread === undefined || this.#thread.ended !== undefined) this.#thread = this.#start();
    return this.#thread;
  }

  /** As of the thread that runs, if any; the next use starts another. */
  async close(reason: Error): Promise<void> {
    await this.#taken()?.close(reason);
  }

  /** As of the thread that runs, if any; the next use starts another. */
  async terminate(reason: Error): Promise<void> {
    await this.#taken()?.terminate(reason);
  }

  #taken(): WorkerThread<Api> | undefined {
    const thread = this.#thread;
    this.#thread = undefined;
    return thread;
  }
}
