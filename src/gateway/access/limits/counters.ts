/** Billionths of a US dollar: costs are counted in whole numbers, so that no sum drifts. */
export type NanoUsd = number;

const NANO = 1_000_000_000;

export const usdOf = (amount: NanoUsd): number => amount / NANO;

/** The largest amount or count: whatever is more is this, since nothing beyond it can be added up, stored and read exactly. */
export const MOST_COUNTED = Number.MAX_SAFE_INTEGER;

/** The sum of two whole numbers, at most `MOST_COUNTED`. */
export const sumOf = (one: number, other: number): number => Math.min(one + other, MOST_COUNTED);

/** What may be counted for a principal; null is not counted. */
export interface CounterLimits {
  readonly requests: number | null;
  readonly tokens: number | null;
  readonly nanoUsd: NanoUsd | null;
}

/** What one request asks to reserve within its principal's limits. Whole numbers ≥ 0. */
export interface Claim {
  /** Id of a key or subject, or the account of a budget (`budgetAccount`): it determines the period. */
  readonly principal: string;
  readonly limits: CounterLimits;
  readonly tokens: number;
  readonly nanoUsd: NanoUsd;
}

/** The limit that a claim would break; the one with the longest wait when there are several. */
export type Refusal = "budget" | "requests" | "tokens";

/** The limits in the order in which a claim is checked. */
export const REFUSALS: readonly Refusal[] = ["budget", "requests", "tokens"];

/** A request that was refused. */
export interface RefusedRequest {
  /** Whoever made it: id of a key or subject. */
  readonly principal: string;
  readonly refusedBy: Refusal;
  /** Name of the budget that refused it; null: a limit of the principal itself. */
  readonly budget: string | null;
}

/** Requests of a principal that a limit refused within one minute of the clock. */
export interface RefusalCount extends RefusedRequest {
  /** Beginning of the minute, in milliseconds since the epoch. */
  readonly minuteMs: number;
  readonly requests: number;
}

/** A principal's counts after a claim. */
export interface Tally {
  readonly refusedBy: Refusal | null;
  /** Counted in the running minute, this claim included when it was granted. */
  readonly requests: number;
  readonly tokens: number;
  /** Identifies the running minute in a `Correction`. 0 when none runs. */
  readonly minute: number;
  /** Until the minute ends and everything in it is free again; 0 when none runs. */
  readonly minuteEndsInMs: number;
  /** Name of the period of the budget, such as `2026-01`. */
  readonly period: string;
  /** Spent in that period, this claim included when it was granted. */
  readonly nanoUsd: NanoUsd;
}

/** The difference between what a request used and what its claim reserved; mostly negative. */
export interface Correction {
  readonly principal: string;
  /** Of the claim's tally. Nothing is corrected in a minute that has ended. */
  readonly minute: number;
  readonly requests: number;
  readonly tokens: number;
  readonly period: string;
  readonly nanoUsd: NanoUsd;
}

/** What a principal has used. */
export type Used = Pick<Tally, "requests" | "tokens" | "nanoUsd">;

/**
 * Counts requests and tokens by the minute, and costs by the month or the period of a budget.
 *
 * A principal's minute starts with its first request after the minute before ended, and lasts sixty seconds: everything
 * used in it is free again at one moment, which is the one that replies announce. No minute holds more than the limits;
 * sixty seconds that span two minutes can hold up to twice as much.
 */
export interface Counters {
  /** Takes everything asked for or nothing: all limits are checked before any is touched. */
  claim(claim: Claim): Tally | Promise<Tally>;
  /** Never throws and is not waited for. */
  correct(correction: Correction): void;
  /** In the running minute and period, as far as this process has learnt; null where another process counts. */
  used(principal: string): Used | null;
  /** In the running minute and period, wherever it was counted; in the order of the principals. */
  usedBy(principals: readonly string[]): readonly Used[] | Promise<readonly Used[]>;
  /** Principals whose name begins so and that spent anything in their running period, wherever that was. */
  accounts(prefix: string): readonly string[] | Promise<readonly string[]>;
  /** Never throws and is not waited for. */
  noteRefusal(refused: RefusedRequest): void;
  /** What was noted of this principal, or of all, in the last 24 hours, wherever that was, by time. */
  refusals(principal?: string): readonly RefusalCount[] | Promise<readonly RefusalCount[]>;
  /** State for `GET /readyz`. */
  health(): CountersHealth;
  /** Saves spending where it is kept across restarts, and closes connections. */
  close(): Promise<void>;
}

export interface CountersHealth {
  /** Whether limits are enforced. */
  readonly ok: boolean;
  readonly store: "memory" | "redis";
  /** Whether other instances see what is counted here. */
  readonly shared: boolean;
}

export const MINUTE_MS = 60_000;

/** The limit that stands in the way of `claim`, given what is counted already. */
export function refusalOf(
  { limits, tokens, nanoUsd }: Claim,
  counted: { readonly requests: number; readonly tokens: number; readonly nanoUsd: NanoUsd },
): Refusal | null {
  if (limits.nanoUsd !== null && counted.nanoUsd + nanoUsd > limits.nanoUsd) return "budget";
  if (limits.requests !== null && counted.requests + 1 > limits.requests) return "requests";
  if (limits.tokens !== null && counted.tokens + tokens > limits.tokens) return "tokens";
  return null;
}
