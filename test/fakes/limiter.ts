import type { Limiter, Reservation, UsageEstimate } from "../../src/access/limits.js";
import type { Principal } from "../../src/access/principal.js";

interface Place {
  readonly principal: Principal;
  readonly estimate: UsageEstimate;
  /** What it was settled with, in order: a place that is kept well has one. */
  readonly settled: UsageEstimate[];
}

/** Lets everybody in and remembers who was settled with what. */
export class FakeLimiter implements Limiter {
  readonly places: Place[] = [];
  /** Thrown instead of reserving. */
  refusal: Error | undefined;

  reserve(principal: Principal, estimate: UsageEstimate): Reservation {
    if (this.refusal !== undefined) throw this.refusal;
    const place: Place = { principal, estimate, settled: [] };
    this.places.push(place);
    return {
      headers: { "x-ratelimit-limit-requests": "60" },
      settle: (used) => {
        place.settled.push(used);
      },
    };
  }

  async close(): Promise<void> {}
}
