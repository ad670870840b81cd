import type { Claim, Correction, Counters, CountersHealth, Tally } from "../access/limits/counters.js";
import type { Link } from "./link.js";
import type { PrimaryApi, WorkerApi } from "./messages.js";

/** The counters of the primary process, so that limits hold over all workers together. A claim costs a round trip to it. */
export class RemoteCounters implements Counters {
  readonly #link: Link<PrimaryApi, WorkerApi>;

  constructor(link: Link<PrimaryApi, WorkerApi>) {
    this.#link = link;
  }

  claim(claim: Claim): Promise<Tally> {
    return this.#link.ask("claim", claim);
  }

  correct(correction: Correction): void {
    this.#link.tell("correct", correction);
  }

  health(): CountersHealth {
    return { ok: true, store: "memory", shared: true };
  }

  async close(): Promise<void> {}
}
