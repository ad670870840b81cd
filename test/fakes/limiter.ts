import type { Limiter, Reservation, UsageEstimate } from "../../src/gateway/access/limits/limits.js";
import type { Principal } from "../../src/gateway/access/principal.js";

interface RecordedReservation {
  readonly principal: Principal;
  readonly estimate: UsageEstimate;
  /** What was reserved later, in order. */
  readonly costs: (number | null)[];
  /** What it was settled with, in order: one that is settled correctly has one entry. */
  readonly settled: UsageEstimate[];
}

/** Grants every reservation and records how it was settled. */
export class FakeLimiter implements Limiter {
  readonly reservations: RecordedReservation[] = [];
  /** Thrown instead of reserving. */
  refusal: Error | undefined;
  /** Thrown instead of reserving a cost later. */
  costRefusal: Error | undefined;

  reserve(principal: Principal, estimate: UsageEstimate): Reservation {
    if (this.refusal !== undefined) throw this.refusal;
    const reservation: RecordedReservation = { principal, estimate, costs: [], settled: [] };
    this.reservations.push(reservation);
    return {
      headers: { "x-ratelimit-limit-requests": "60" },
      reserveCost: (costUsd, whenFull) => {
        if (whenFull === "refuse") return null;
        if (this.costRefusal !== undefined) throw this.costRefusal;
        reservation.costs.push(costUsd);
        return null;
      },
      refuse: () => void reservation.settled.push({ tokens: 0, costUsd: 0 }),
      settle: (used) => {
        reservation.settled.push(used);
      },
    };
  }

  async close(): Promise<void> {}
}
