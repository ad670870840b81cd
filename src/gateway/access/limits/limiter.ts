import { SextantError } from "../../../foundation/errors.js";
import type { Principal, PrincipalLimits } from "../principal.js";
import {
  type CounterLimits,
  type Counters,
  type CountersHealth,
  MOST_COUNTED,
  type NanoUsd,
  type RefusalCount,
  type Refusal as RefusingLimit,
  type Tally,
  type Used,
} from "./counters.js";
import type { Limiter, Reservation, UsageEstimate } from "./limits.js";
import { periodAt } from "./spend-period.js";

const NANO = 1_000_000_000;
const MINUTE_S = 60;

export interface LimiterOptions {
  /** Milliseconds since the epoch: when a new period begins. */
  readonly now: () => number;
  /** Told of each refused request. */
  readonly onRefusal?: ((principal: string, refusedBy: RefusingLimit) => void) | undefined;
}

/** Limits and budgets over any counters. */
export class CountingLimiter implements Limiter {
  readonly #counters: Counters;
  readonly #options: LimiterOptions;

  constructor(counters: Counters, options: LimiterOptions) {
    this.#counters = counters;
    this.#options = options;
  }

  /**
   * Takes one request, the estimated tokens and the estimated cost, all or nothing. A principal without limits costs
   * nothing and is not counted.
   *
   * @throws SextantError `rate_limit_exceeded`, `budget_exceeded`, with the headers of the limits
   */
  reserve({ id, limits }: Principal, estimate: UsageEstimate): Reservation | Promise<Reservation> {
    if (limits.requestsPerMinute === null && limits.tokensPerMinute === null && limits.usdPerMonth === null) {
      return UNCOUNTED;
    }
    const taken = { tokens: wholeTokens(estimate.tokens), nanoUsd: nanoUsdOf(estimate.costUsd) };
    const request = { principal: id, limits, taken };
    const tally = this.#counters.claim({ principal: id, limits: counterLimits(limits), ...taken });
    return tally instanceof Promise
      ? tally.then((late) => this.#grant(request, late))
      : this.#grant(request, tally);
  }

  /** As `Counters.used`. */
  used(principal: string): Used | null {
    return this.#counters.used(principal);
  }

  /** As `Counters.usedBy`. */
  usedBy(principals: readonly string[]): readonly Used[] | Promise<readonly Used[]> {
    return this.#counters.usedBy(principals);
  }

  /** As `Counters.refusals`. */
  refusals(principals: readonly string[]): readonly RefusalCount[] | Promise<readonly RefusalCount[]> {
    return this.#counters.refusals(principals);
  }

  health(): CountersHealth {
    return this.#counters.health();
  }

  close(): Promise<void> {
    return this.#counters.close();
  }

  #grant(request: ClaimedRequest, tally: Tally): Reservation {
    const { now, onRefusal } = this.#options;
    if (tally.refusedBy !== null) {
      onRefusal?.(request.principal, tally.refusedBy);
      throw refusal(request, tally, now());
    }
    return new CountedReservation(this.#counters, { ...request, ...this.#options, tally });
  }
}

interface ClaimedRequest {
  readonly principal: string;
  readonly limits: PrincipalLimits;
  readonly taken: { readonly tokens: number; readonly nanoUsd: NanoUsd };
}

interface Granted extends ClaimedRequest, LimiterOptions {
  readonly tally: Tally;
}

const UNCOUNTED: Reservation = { headers: {}, reserveCost: () => {}, settle: () => {} };

class CountedReservation implements Reservation {
  readonly #counters: Counters;
  readonly #granted: Granted;
  /** Period, and what its budget was charged so far for this request. */
  #charged: { readonly nanoUsd: NanoUsd; readonly period: string };
  #isRefused = false;
  #isSettled = false;

  constructor(counters: Counters, granted: Granted) {
    this.#counters = counters;
    this.#granted = granted;
    this.#charged = { nanoUsd: granted.taken.nanoUsd, period: granted.tally.period };
  }

  get headers(): Readonly<Record<string, string>> {
    return limitHeaders(this.#granted.limits, this.#granted.tally);
  }

  reserveCost(costUsd: number | null): void | Promise<void> {
    const { principal, limits } = this.#granted;
    const nanoUsd = nanoUsdOf(costUsd);
    if (limits.usdPerMonth === null || nanoUsd === 0) return;
    const budget = { requests: null, tokens: null, nanoUsd: nanoUsdOf(limits.usdPerMonth) };
    const tally = this.#counters.claim({ principal, limits: budget, tokens: 0, nanoUsd });
    return tally instanceof Promise
      ? tally.then((late) => this.#charge(nanoUsd, late))
      : this.#charge(nanoUsd, tally);
  }

  #charge(nanoUsd: NanoUsd, { refusedBy, period, nanoUsd: spent }: Tally): void {
    const { tally, now, onRefusal, ...request } = this.#granted;
    if (refusedBy === null) {
      // What was charged in an earlier period is not part of one that began meanwhile.
      this.#charged = {
        nanoUsd: period === this.#charged.period ? this.#charged.nanoUsd + nanoUsd : nanoUsd,
        period,
      };
      return;
    }
    this.#isRefused = true;
    onRefusal?.(request.principal, refusedBy);
    const refused = { ...request, taken: { ...request.taken, nanoUsd } };
    throw refusal(refused, { ...tally, refusedBy, period, nanoUsd: spent }, now());
  }

  settle(used: UsageEstimate): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const { principal, limits, taken, tally } = this.#granted;
    const tokens = wholeTokens(used.tokens) - taken.tokens;
    const { nanoUsd: charged, period } = this.#charged;
    const nanoUsd = limits.usdPerMonth === null ? 0 : nanoUsdOf(used.costUsd) - charged;
    const requests = this.#isRefused ? -1 : 0;
    if (requests === 0 && tokens === 0 && nanoUsd === 0) return;
    this.#counters.correct({ principal, minute: tally.minute, requests, tokens, period, nanoUsd });
  }
}

function counterLimits({ requestsPerMinute, tokensPerMinute, usdPerMonth }: PrincipalLimits): CounterLimits {
  return {
    requests: requestsPerMinute,
    tokens: tokensPerMinute,
    nanoUsd: usdPerMonth === null ? null : nanoUsdOf(usdPerMonth),
  };
}

/** Rounds up. NaN counts as 0, or it would make every later sum NaN. */
const wholeTokens = (tokens: number): number => (tokens > 0 ? Math.min(Math.ceil(tokens), MOST_COUNTED) : 0);

const nanoUsdOf = (usd: number | null): NanoUsd =>
  usd !== null && usd > 0 ? Math.min(Math.round(usd * NANO), MOST_COUNTED) : 0;

function refusal(request: ClaimedRequest, tally: Tally, nowMs: number): SextantError {
  const { limits, taken } = request;
  if (limits.tokensPerMinute !== null && taken.tokens > limits.tokensPerMinute) {
    return refused("rate_limit_exceeded", {
      message: `The request may need ${taken.tokens} tokens, more than the limit of ${limits.tokensPerMinute} tokens a minute, so that it can never pass. Lower \`max_tokens\`, shorten the messages, or use a key with a higher limit.`,
      retryAfterS: MINUTE_S,
      isWorthRetrying: "no",
      request,
      tally,
    });
  }
  if (tally.refusedBy === "budget") return overBudget(request, tally, nowMs);
  const retryAfterS = tally.minuteEndsInMs / 1_000;
  const used =
    tally.refusedBy === "requests"
      ? `All ${limits.requestsPerMinute} requests a minute are used`
      : `The request may need ${taken.tokens} tokens, and ${tally.tokens} of the ${limits.tokensPerMinute} tokens a minute are used`;
  return refused("rate_limit_exceeded", {
    message: `${used}. Try again in ${retryAfterS} s.`,
    retryAfterS,
    isWorthRetrying: "yes",
    request,
    tally,
  });
}

function overBudget(request: ClaimedRequest, tally: Tally, nowMs: number): SextantError {
  const budget = nanoUsdOf(request.limits.usdPerMonth);
  const { endMs } = periodAt(request.principal, nowMs);
  const remedy =
    request.taken.nanoUsd > budget
      ? "It can never pass: lower `max_tokens`, choose a cheaper model, or use a key with a higher budget."
      : `The budget starts again on ${new Date(endMs).toISOString().slice(0, 10)} (UTC).`;
  return refused("budget_exceeded", {
    message: `The request may cost ${dollars(request.taken.nanoUsd)} USD, and ${dollars(tally.nanoUsd)} of the ${dollars(budget)} USD a month are used. ${remedy}`,
    retryAfterS: Math.ceil((endMs - nowMs) / 1_000),
    isWorthRetrying: "no",
    request,
    tally,
  });
}

/** `0.5`, `0.000000001`: every digit that was counted, and never an exponent. */
const dollars = (amount: NanoUsd): string => (amount / NANO).toFixed(9).replace(/\.?0+$/, "");

interface Refusal {
  readonly message: string;
  readonly retryAfterS: number;
  /** Capped because OpenAI's libraries wait for a minute at most before they send the request again. */
  readonly isWorthRetrying: "yes" | "no";
  readonly request: ClaimedRequest;
  readonly tally: Tally;
}

function refused(
  code: "rate_limit_exceeded" | "budget_exceeded",
  { message, retryAfterS, isWorthRetrying, request, tally }: Refusal,
): SextantError {
  const headers = limitHeaders(request.limits, tally);
  if (isWorthRetrying === "no") headers["x-should-retry"] = "false";
  return new SextantError(code, message, { extra: { retry_after: retryAfterS }, headers });
}

/** `x-ratelimit-…` of API §1, for the limits the principal has. Budgets have no header. */
function limitHeaders(
  { requestsPerMinute, tokensPerMinute }: PrincipalLimits,
  { requests, tokens, minuteEndsInMs }: Pick<Tally, "requests" | "tokens" | "minuteEndsInMs">,
): Record<string, string> {
  const headers: Record<string, string> = {};
  const reset = durationText(minuteEndsInMs);
  if (requestsPerMinute !== null) {
    headers["x-ratelimit-limit-requests"] = String(requestsPerMinute);
    headers["x-ratelimit-remaining-requests"] = String(Math.max(0, requestsPerMinute - requests));
    headers["x-ratelimit-reset-requests"] = reset;
  }
  if (tokensPerMinute !== null) {
    headers["x-ratelimit-limit-tokens"] = String(tokensPerMinute);
    headers["x-ratelimit-remaining-tokens"] = String(Math.max(0, tokensPerMinute - tokens));
    headers["x-ratelimit-reset-tokens"] = reset;
  }
  return headers;
}

/** A duration as OpenAI's headers have it: `120ms`, `1s`, `8.64s`, `6m0s`. Rounded up to whole milliseconds. */
export function durationText(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = `${(whole - minutes * 60_000) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
