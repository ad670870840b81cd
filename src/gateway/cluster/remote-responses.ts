import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { KeptKinds, KeptValue, ResponseMemory } from "../conversations/response-memory.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

/** The responses of the supervisor process, so that any worker may get the next request that names one. */
export class RemoteResponses implements ResponseMemory {
  readonly #channel: RpcChannel<SupervisorApi, WorkerApi>;

  constructor(channel: RpcChannel<SupervisorApi, WorkerApi>) {
    this.#channel = channel;
  }

  /** A supervisor that is gone takes this process with it. */
  find<Kind extends keyof KeptKinds>(kind: Kind, key: string): Promise<KeptKinds[Kind] | undefined> {
    const found = this.#channel.call("findResponse", { kind, key });
    return found.catch(() => undefined) as Promise<KeptKinds[Kind] | undefined>;
  }

  keep(kept: KeptValue): void {
    this.#channel.notify("keepResponse", kept);
  }

  claimRuns() {
    return this.#channel.call("claimRuns", undefined).catch(() => []);
  }

  async close(): Promise<void> {}
}
