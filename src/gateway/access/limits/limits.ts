import type { Principal } from "../principal.js";

/** What a request may use at most, as far as is known before it runs. */
export interface UsageEstimate {
  /** Prompt and answer together. */
  readonly tokens: number;
  /** Null when no price is known: the budget then counts nothing. */
  readonly costUsd: number | null;
}

/** What a request has reserved within its principal's limits. Settle it exactly once, also when the request failed. */
export interface Reservation {
  /** `x-ratelimit-…` of API §1, for the limits the principal has. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Also reserves that much of the budget, for a cost that was unknown before. Null reserves nothing.
   * Immediate when the counters are in memory.
   *
   * @throws SextantError `budget_exceeded`, as `reserve` does; settling then gives everything back, the request included
   */
  reserveCost(costUsd: number | null): void | Promise<void>;
  /** Replaces the estimate by what was used. Never throws and is not waited for. */
  settle(used: UsageEstimate): void;
}

/** Requests a minute, tokens a minute and dollars a month, per API key and per JWT subject. */
export interface Limiter {
  /**
   * Immediate when the counters are in memory.
   *
   * @throws SextantError `rate_limit_exceeded`, `budget_exceeded`, with `retry_after` in seconds and the headers of the
   * limits (also as a rejection); nothing is then reserved
   */
  reserve(principal: Principal, estimate: UsageEstimate): Reservation | Promise<Reservation>;
  /** Saves spending where it is kept across restarts, and closes connections. */
  close(): Promise<void>;
}
