import type { TimeAllowed } from "./model-limits.js";

/** Calls that are remembered, and of which there must be so many before a limit follows from them (guesses). */
const REMEMBERED = 128;
const ENOUGH = 50;
/** How often the limit is computed anew, in calls. */
const EVERY = 16;
/** What a call may take of the 99th percentile of the others, and what it may take in any case (guesses). */
const TIMES_P99 = 5;
const LEAST_MS = 20_000;

/** The times to the first content of recent streams of one kind, and the limit that follows from them. */
export class FirstTokens {
  readonly #times = new Float64Array(REMEMBERED);
  #recorded = 0;
  #limit: TimeAllowed | undefined;

  /** 5 times the 99th percentile of the last 128 calls, at least 20 s; undefined before the 50th. */
  get limit(): TimeAllowed | undefined {
    return this.#limit;
  }

  add(milliseconds: number): void {
    this.#times[this.#recorded % REMEMBERED] = milliseconds;
    this.#recorded += 1;
    if (this.#recorded < ENOUGH || (this.#recorded - ENOUGH) % EVERY !== 0) return;
    const sorted = this.#times.slice(0, Math.min(this.#recorded, REMEMBERED)).sort();
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
    this.#limit = { ms: Math.ceil(Math.max(LEAST_MS, TIMES_P99 * p99)), name: "measured" };
  }
}
