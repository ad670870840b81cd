import type { Reservation } from "../../access/limits/limits.js";

/** Counts the accepted requests that are not settled yet: those under way, and those whose tokens are still being counted. */
export class OpenRequests {
  #open = 0;
  #whenNone: (() => void)[] = [];

  /** Counts a request until its reservation is settled. */
  track(reservation: Reservation): Reservation {
    this.#open += 1;
    return {
      headers: reservation.headers,
      reserveCost: (costUsd) => reservation.reserveCost(costUsd),
      settle: (used) => {
        reservation.settle(used);
        this.#open -= 1;
        if (this.#open > 0) return;
        for (const resolve of this.#whenNone) resolve();
        this.#whenNone = [];
      },
    };
  }

  /** Resolves once there are none, their traces recorded. */
  none(): Promise<void> {
    return this.#open === 0 ? Promise.resolve() : new Promise((resolve) => this.#whenNone.push(resolve));
  }
}
