/** What callers are told of their limits: headers of replies, and refusals. */
import { SextantError } from "../../../foundation/errors.js";
import type { BudgetEntry } from "./budget.js";
import { type CounterLimits, type NanoUsd, type Tally, usdOf } from "./counters.js";
import { periodAt } from "./spend-period.js";

const MINUTE_S = 60;

/** Something that is counted for a request, with what it may have. */
export interface LimitedAccount {
  /** As counters know it. */
  readonly id: string;
  readonly limits: CounterLimits;
  /** Null: the limits of the key or token itself. */
  readonly budget: BudgetEntry | null;
  /** Of a budget: whose it is. */
  readonly value: string;
}

/** An account after a claim. */
export interface ClaimedAccount {
  readonly account: LimitedAccount;
  readonly tally: Tally;
}

export interface Taken {
  readonly tokens: number;
  readonly nanoUsd: NanoUsd;
}

interface RefusalOptions {
  /** What had no room, and how it stands without the request. */
  readonly by: ClaimedAccount;
  readonly taken: Taken;
  /** Of the reply. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The error for a claim that was refused. */
export function limitRefusal(options: RefusalOptions): LimitRefusal {
  const { taken, by } = options;
  const { account, tally } = by;
  const { requests, tokens } = account.limits;
  const of = ofBudget(account);
  if (tokens !== null && taken.tokens > tokens) {
    return new LimitRefusal("rate_limit_exceeded", {
      message: `The request may need ${taken.tokens} tokens, more than the limit of ${tokens} tokens a minute${of}, so it can never pass. Lower \`max_tokens\`, shorten the messages, or use a key with a higher limit.`,
      retryAfterS: MINUTE_S,
      isWorthRetrying: "no",
      ...options,
    });
  }
  if (tally.refusedBy === "budget") return overBudget(by, options);
  const retryAfterS = tally.minuteEndsInMs / 1_000;
  const used =
    tally.refusedBy === "requests"
      ? `All ${requests} requests a minute${of} are used`
      : `The request may need ${taken.tokens} tokens, and ${tally.tokens} of the ${tokens} tokens a minute${of} are used`;
  return new LimitRefusal("rate_limit_exceeded", {
    message: `${used}. Try again in ${retryAfterS} s.`,
    retryAfterS,
    isWorthRetrying: "yes",
    ...options,
  });
}

function overBudget({ account, tally }: ClaimedAccount, options: RefusalOptions): LimitRefusal {
  const { taken, nowMs } = options;
  const most = account.limits.nanoUsd ?? 0;
  const { endMs } = periodAt(account.id, nowMs);
  const end = new Date(endMs).toISOString();
  const next =
    account.budget === null
      ? `The budget starts again on ${end.slice(0, 10)} (UTC).`
      : `The budget starts again at ${end}, when the ${account.budget.period} ends in ${account.budget.time_zone}.`;
  const remedy =
    taken.nanoUsd > most
      ? "It can never pass: lower `max_tokens`, choose a cheaper model, or use a key with a higher budget."
      : next;
  const period = account.budget?.period ?? "month";
  return new LimitRefusal("budget_exceeded", {
    message: `The request may cost ${dollars(taken.nanoUsd)} USD, and ${dollars(tally.nanoUsd)} of the ${dollars(most)} USD a ${period}${ofBudget(account)} are used. ${remedy}`,
    retryAfterS: Math.ceil((endMs - nowMs) / 1_000),
    isWorthRetrying: "no",
    ...options,
  });
}

/** ` of the budget "teams" (team "search")`; empty for the limits of a key. */
function ofBudget({ budget, value }: LimitedAccount): string {
  if (budget === null) return "";
  const whose =
    budget.by === "all" ? "" : ` (${budget.by} ${value === "" ? "not named" : JSON.stringify(value)})`;
  return ` of the budget "${budget.name}"${whose}`;
}

/** `0.5`, `0.000000001`: every digit that was counted, and never an exponent. */
const dollars = (amount: NanoUsd): string =>
  usdOf(amount)
    .toFixed(9)
    .replace(/\.?0+$/, "");

interface Refusal extends RefusalOptions {
  readonly message: string;
  readonly retryAfterS: number;
  /** Capped because OpenAI's libraries wait for a minute at most before they send the request again. */
  readonly isWorthRetrying: "yes" | "no";
}

/** A request, or a call of one, for which a limit has no room. */
export class LimitRefusal extends SextantError {
  constructor(
    code: "rate_limit_exceeded" | "budget_exceeded",
    readonly why: Refusal,
  ) {
    const { message, retryAfterS, isWorthRetrying, headers } = why;
    super(code, message, {
      extra: { retry_after: retryAfterS },
      headers: { ...headers, ...(isWorthRetrying === "no" && { "x-should-retry": "false" }) },
    });
  }
}

/** `x-ratelimit-…` of API §1, for the limits that there are: of several, the one of which the least is left. Money has no such header. */
export function limitHeaders(claimed: readonly ClaimedAccount[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const limit of ["requests", "tokens"] as const) {
    let tightest: { readonly most: number; readonly left: number; readonly tally: Tally } | undefined;
    for (const { account, tally } of claimed) {
      const most = account.limits[limit];
      if (most === null) continue;
      const left = Math.max(0, most - tally[limit]);
      if (tightest === undefined || left < tightest.left) tightest = { most, left, tally };
    }
    if (tightest === undefined) continue;
    headers[`x-ratelimit-limit-${limit}`] = String(tightest.most);
    headers[`x-ratelimit-remaining-${limit}`] = String(tightest.left);
    headers[`x-ratelimit-reset-${limit}`] = durationText(tightest.tally.minuteEndsInMs);
  }
  return headers;
}

/** Which preset answers in the place of what was asked for, and which budget has it so. */
export interface BudgetSwitch {
  readonly budget: string;
  readonly preset: string;
}

/**
 * `x-sextant-budget`: `teams;used=0.83;period=day;reset=2026-11-27T00:00:00.000Z` for each budget of which its `warn_at` is used,
 * with `;preset=economy` where that answers instead.
 */
export function budgetHeader(
  claimed: readonly ClaimedAccount[],
  { instead, nowMs }: { readonly instead: BudgetSwitch | undefined; readonly nowMs: number },
): Record<string, string> {
  const warnings = claimed.flatMap(({ account: { id, budget }, tally }) => {
    const used = budget?.usd === undefined ? 0 : usdOf(tally.nanoUsd) / budget.usd;
    if (budget === null || used < budget.warn_at) return [];
    const reset = new Date(periodAt(id, nowMs).endMs).toISOString();
    const preset = instead?.budget === budget.name ? `;preset=${instead.preset}` : "";
    return `${budget.name};used=${Math.floor(used * 100) / 100};period=${budget.period};reset=${reset}${preset}`;
  });
  return warnings.length === 0 ? {} : { "x-sextant-budget": warnings.join(", ") };
}

/** A duration as OpenAI's headers have it: `120ms`, `1s`, `8.64s`, `6m0s`. Rounded up to whole milliseconds. */
export function durationText(ms: number): string {
  const whole = Math.ceil(ms);
  if (whole < 1_000) return `${whole}ms`;
  const minutes = Math.floor(whole / 60_000);
  const seconds = `${(whole - minutes * 60_000) / 1_000}s`;
  return minutes === 0 ? seconds : `${minutes}m${seconds}`;
}
