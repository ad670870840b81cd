import { shadowBody } from "../../engine/index.js";
import type { RouteRequest } from "../../engine/router/decision.js";
import type { Router } from "../../engine/router/router.js";
import type { RoutingBody, ShadowBody } from "../../engine/router/routing-body.js";
import { SextantError } from "../../foundation/errors.js";
import type { Cancel, Timers } from "../../foundation/timers.js";

/** Decides requests a second time, by other profile sets, for their traces alone. */
export interface ShadowDecisions {
  /** What the other sets would have decided. Never rejects, and resolves within seconds. */
  decide(request: RouteRequest, live: RoutingBody): Promise<ShadowBody>;
}

export interface ShadowOptions {
  readonly router: Pick<Router, "route" | "profileVersion">;
  /** Resolves once the router decides without preparing anything first. Never rejects. */
  readonly ready: Promise<void>;
  readonly timers: Pick<Timers, "after">;
  /** Resolves when other work of the thread has run. */
  readonly yieldThread: () => Promise<void>;
}

/** Requests that wait for their shadow decision; further ones get none, so that a busy process does not fall behind (guess). */
const MOST_WAITING = 256;
/** After this long a decision is given up, so that no trace waits for it (guess). */
const LONGEST_MS = 5000;

/**
 * One decision at a time, with other work of the thread in between: a burst of requests waits for one decision at most, as it does for
 * each of its own.
 */
export class QueuedShadowDecisions implements ShadowDecisions {
  #last: Promise<unknown>;
  #waiting = 0;

  constructor(private readonly options: ShadowOptions) {
    this.#last = options.ready;
  }

  async decide({ exploration: _, ...request }: RouteRequest, live: RoutingBody): Promise<ShadowBody> {
    const { router, timers } = this.options;
    if (this.#waiting >= MOST_WAITING) return { profile_version: router.profileVersion, error: "overloaded" };
    this.#waiting += 1;
    const turn = this.#last.then(() => this.options.yieldThread());
    const decided = turn.then(() => this.#decideNow(request, live));
    this.#last = decided;
    let cancel: Cancel = () => {};
    const timeUp = new Promise<ShadowBody>((resolve) => {
      const { profileVersion } = router;
      cancel = timers.after(LONGEST_MS, () => resolve({ profile_version: profileVersion, error: "timeout" }));
    });
    try {
      return await Promise.race([decided, timeUp]);
    } finally {
      cancel();
      this.#waiting -= 1;
    }
  }

  async #decideNow(request: RouteRequest, live: RoutingBody): Promise<ShadowBody> {
    const { router } = this.options;
    try {
      return shadowBody(await router.route(request), live);
    } catch (fault) {
      const error = fault instanceof SextantError ? fault.code : "internal_error";
      return { profile_version: router.profileVersion, error };
    }
  }
}
