import type { Limiter, Reservation, UsageEstimate } from "../../src/access/limits/limits.js";
import type { Principal } from "../../src/access/principal.js";

interface Place {
  readonly principal: Principal;
  readonly estimate: UsageEstimate;
  /** What was reserved later, in order. */
  readonly costs: (number | null)[];
  /** What it was settled with, in order: a place that is kept well has one. */
  readonly settled: UsageEstimate[];
}

/** Lets everybody in and remembers who was settled with what. */
export class FakeLimiter implements Limiter {
  readonly reservations: Place[] = [];
  /** Thrown instead of reserving. */
  refusal: Error | undefined;
  /** Thrown instead of reserving a cost later. */
  costRefusal: Error | undefined;

  reserve(principal: Principal, estimate: UsageEstimate): Reservation {
    if (this.refusal !== undefined) throw this.refusal;
    const place: Place = { principal, estimate, costs: [], settled: [] };
    this.reservations.push(place);
    return {
      headers: { "x-ratelimit-limit-requests": "60" },
      reserveCost: (costUsd) => {
        if (this.costRefusal !== undefined) throw this.costRefusal;
        place.costs.push(costUsd);
      },
      settle: (used) => {
        place.settled.push(used);
      },
    };
  }

  async close(): Promise<void> {}
}
