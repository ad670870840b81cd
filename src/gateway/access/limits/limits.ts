import type { Principal } from "../principal.js";
import type { RequestTags } from "./budget.js";
import type { BudgetSwitch, LimitRefusal } from "./limit-replies.js";

/** What a request may use at most, as far as is known before it runs. */
export interface UsageEstimate {
  /** Prompt and answer together. */
  readonly tokens: number;
  /** Null when no price is known: the budget then counts nothing. */
  readonly costUsd: number | null;
}

export type WhenFull = "switch" | "refuse";

/** `budget_exceeded`, or nothing. */
export type RefusedCost = LimitRefusal | null;

/** What a request has reserved within its principal's limits. Settle it exactly once, also when the request failed. */
export interface Reservation {
  /** `x-ratelimit-…` of API §1, for the limits that apply, and `x-sextant-budget` for a budget that is nearly or wholly used. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Which preset shall answer, because a budget is used up that has it so; what was asked for is then not paid for. Undefined:
   * as was asked. It may come with `reserveCost`, once: that has then reserved nothing.
   */
  readonly instead?: BudgetSwitch | undefined;
  /**
   * Has at least that much of the budget reserved, before something is called that may cost it. Null reserves nothing.
   * Immediate when the counters are in memory.
   *
   * @param whenFull whether a budget may then have another model answer
   * @returns null, or why it must not be called; nothing is then changed
   */
  reserveCost(costUsd: number | null, whenFull: WhenFull): RefusedCost | Promise<RefusedCost>;
  /** Replaces the estimate by what was used. Never throws and is not waited for. */
  settle(used: UsageEstimate): void;
  /** In place of settling, for a request that was not made because of this: gives everything back, the request included. */
  refuse(refusal: LimitRefusal): void;
}

/** Requests and tokens a minute, and dollars a month, per API key, per JWT subject and per budget of the settings. */
export interface Limiter {
  /**
   * Immediate when the counters are in memory.
   *
   * @throws LimitRefusal `rate_limit_exceeded`, `budget_exceeded`, with `retry_after` in seconds and the headers of the
   * limits (also as a rejection); nothing is then reserved
   */
  reserve(
    principal: Principal,
    estimate: UsageEstimate,
    tags?: RequestTags,
  ): Reservation | Promise<Reservation>;
}
