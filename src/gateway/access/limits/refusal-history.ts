import { MINUTE_MS, type RefusalCount, type RefusedRequest } from "./counters.js";

/** How long refusals can be looked up. */
export const REFUSALS_KEPT_MS = 24 * 60 * MINUTE_MS;

/** Most counts in memory, of some 200 bytes each: the oldest go first. */
const MOST_COUNTS = 50_000;

/** The beginning of the minute of the clock that a time is in. */
export const minuteOf = (ms: number): number => ms - (ms % MINUTE_MS);

/** How many requests each limit refused, by principal and minute, of the last 24 hours. Bounded in size. */
export class RefusalHistory {
  /** In the order of their first refusal, which is that of time. */
  readonly #counts = new Map<string, RefusalCount>();

  note({ principal, refusedBy, budget }: RefusedRequest, nowMs: number): void {
    const minuteMs = minuteOf(nowMs);
    const key = keyOf({ principal, minuteMs, refusedBy, budget });
    const requests = (this.#counts.get(key)?.requests ?? 0) + 1;
    this.#counts.set(key, { principal, minuteMs, refusedBy, budget, requests });
    if (requests === 1) this.#forget(nowMs);
  }

  /** Takes over what was counted before: older ones first, of which the oldest are left out. */
  learn(counts: readonly RefusalCount[]): void {
    for (const count of counts.slice(-MOST_COUNTS)) this.#counts.set(keyOf(count), count);
  }

  /** Of this principal, or of all, by time. */
  of(asked: string | undefined, nowMs: number): readonly RefusalCount[] {
    return [...this.#counts.values()].filter(
      ({ principal, minuteMs }) => (asked ?? principal) === principal && minuteMs > nowMs - REFUSALS_KEPT_MS,
    );
  }

  #forget(nowMs: number): void {
    for (const [key, { minuteMs }] of this.#counts) {
      if (this.#counts.size <= MOST_COUNTS && minuteMs > nowMs - REFUSALS_KEPT_MS) return;
      this.#counts.delete(key);
    }
  }
}

const keyOf = ({ principal, minuteMs, refusedBy, budget }: Omit<RefusalCount, "requests">): string =>
  `${minuteMs} ${refusedBy} ${budget ?? ""} ${principal}`;
