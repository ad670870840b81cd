import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type {
  Claim,
  Correction,
  Counters,
  CountersHealth,
  RefusalCount,
  Tally,
  Used,
} from "../access/limits/counters.js";
import type { SupervisorApi, WorkerApi } from "./cluster-api.js";

/** The counters of the supervisor process, so that limits hold over all workers together. A claim costs a round trip to it. */
export class RemoteCounters implements Counters {
  readonly #channel: RpcChannel<SupervisorApi, WorkerApi>;

  constructor(channel: RpcChannel<SupervisorApi, WorkerApi>) {
    this.#channel = channel;
  }

  claim(claim: Claim): Promise<Tally> {
    return this.#channel.call("claim", claim);
  }

  correct(correction: Correction): void {
    this.#channel.notify("correct", correction);
  }

  used(): null {
    return null;
  }

  usedBy(principals: readonly string[]): Promise<readonly Used[]> {
    return this.#channel.call("usedBy", principals);
  }

  refusals(principals: readonly string[]): Promise<readonly RefusalCount[]> {
    return this.#channel.call("refusals", principals);
  }

  health(): CountersHealth {
    return { ok: true, store: "memory", shared: true };
  }

  async close(): Promise<void> {}
}
