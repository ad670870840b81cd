import { BoundedNames } from "../../../foundation/bounded-names.js";
import { systemTimers } from "../../../foundation/timers.js";
import type { Store } from "../../storage/store.js";
import type { Principal } from "../principal.js";
import {
  accountOf,
  accountPrefix,
  type BudgetEntry,
  type BudgetValue,
  budgetValue,
  type RequestTags,
} from "./budget.js";
import { CountedReservation, nanoUsdOf } from "./counted-reservation.js";
import type {
  Counters,
  CountersHealth,
  NanoUsd,
  RefusalCount,
  Refusal as RefusingLimit,
  Used,
} from "./counters.js";
import type { LimitedAccount } from "./limit-replies.js";
import type { Limiter, Reservation, UsageEstimate } from "./limits.js";
import { type RefusalRecord, RefusalRecords } from "./refusal-records.js";
import { periodAt, type SpendPeriod } from "./spend-period.js";

/** Values of a budget that are counted by themselves: callers may invent values, and each takes memory until its period ends. */
const MOST_VALUES = 10_000;
/** Shared by all further values. */
const OTHER_VALUES = "(other)";

export interface LimiterOptions {
  /** Keeps why requests were refused. Default: only this process knows which budgets refused any. */
  readonly refusals?: Pick<Store, "get" | "put" | "update">;
  /** Milliseconds since the epoch: when a new period begins. */
  readonly now: () => number;
  /** Told of each refused request; the budget is null where the key's own limits refused it. */
  readonly onRefusal?:
    | ((principal: string, refusedBy: RefusingLimit, by: { readonly budget: string | null }) => void)
    | undefined;
  /** Told of each request that a used-up budget has another model answer. */
  readonly onSwitch?: ((budget: string) => void) | undefined;
}

/** What is used of a budget, by all requests with one value. */
export interface BudgetUse {
  readonly budget: BudgetEntry;
  readonly value: string;
  readonly period: SpendPeriod;
  readonly used: Used;
  /** The least that a request of the last day asked for which it refused; undefined without any. */
  readonly leastRefused: NanoUsd | undefined;
}

/** Limits and budgets over any counters. */
export class CountingLimiter implements Limiter {
  readonly #counters: Counters;
  readonly #options: LimiterOptions;
  #budgets: readonly BudgetEntry[] = [];
  readonly #values = new Map<string, BoundedNames>();
  readonly #refusals: RefusalRecords;

  constructor(counters: Counters, options: LimiterOptions) {
    this.#counters = counters;
    this.#options = options;
    this.#refusals = new RefusalRecords({
      store: options.refusals,
      now: options.now,
      timers: systemTimers,
    });
  }

  /** Requests that are reserved for from now on belong to these budgets. What was used of one with the same name and period stays used. */
  useBudgets(budgets: readonly BudgetEntry[]): void {
    this.#budgets = budgets;
  }

  /**
   * Takes one request, the estimated tokens and the estimated cost, all or nothing, of the limits of the principal and of each
   * budget that the request belongs to. Without any it costs nothing and is not counted.
   *
   * @throws SextantError `rate_limit_exceeded`, `budget_exceeded`, with the headers of the limits
   */
  reserve(
    principal: Principal,
    estimate: UsageEstimate,
    tags: RequestTags = {},
  ): Reservation | Promise<Reservation> {
    const accounts = [...ownAccount(principal), ...this.#accountsOf(principal, tags)];
    if (accounts.length === 0) return UNCOUNTED;
    const { now, onRefusal, onSwitch = () => {} } = this.#options;
    const reservation = new CountedReservation(accounts, {
      counters: this.#counters,
      now,
      onSwitch,
      isSwitchable: tags.isSwitchable ?? (() => false),
      onRefusal: (refusal) => {
        const { account, tally } = refusal.why.by;
        const [refusedBy, budget] = [tally.refusedBy, account.budget?.name ?? null];
        if (refusedBy === null) return;
        this.#counters.noteRefusal({ principal: principal.id, refusedBy, budget });
        const { requestId } = tags;
        this.#refusals.note(refusal, { principal: principal.id, requestId, nowMs: now() });
        onRefusal?.(principal.id, refusedBy, { budget });
      },
    });
    return reservation.claim(estimate);
  }

  /** As `Counters.used`. */
  used(principal: string): Used | null {
    return this.#counters.used(principal);
  }

  /** As `Counters.usedBy`. */
  usedBy(principals: readonly string[]): readonly Used[] | Promise<readonly Used[]> {
    return this.#counters.usedBy(principals);
  }

  /** Of every value that spent anything in the running period, and of those that are named in the settings. */
  async budgetUse(): Promise<readonly BudgetUse[]> {
    const nowMs = this.#options.now();
    const uses = this.#budgets.map(async (budget) => {
      const prefix = accountPrefix(budget);
      const spending = budget.usd === undefined ? [] : await this.#counters.accounts(prefix);
      const values = new Set([
        ...(budget.value === undefined ? [] : [budget.value]),
        ...(budget.by === "all" ? [""] : []),
        ...(this.#values.get(budget.name)?.names ?? []),
        ...spending.map((account) => account.slice(prefix.length)),
      ]);
      const accounts = [...values].map((value) => accountOf(budget, value));
      const used = await this.#counters.usedBy(accounts);
      const period = periodAt(prefix, nowMs);
      const least = await Promise.all(
        // What nothing is used of refuses nothing that it could hold.
        accounts.map((account, at) => (used[at]?.nanoUsd ? this.#refusals.least(account, nowMs) : undefined)),
      );
      return [...values].flatMap((value, at) => {
        const one = used[at];
        const leastRefused = least[at];
        return one === undefined ? [] : { budget, value, period, used: one, leastRefused };
      });
    });
    return (await Promise.all(uses)).flat();
  }

  /** As `RefusalRecords.find`. */
  refusalOf(requestId: string): Promise<RefusalRecord | undefined> {
    return this.#refusals.find(requestId);
  }

  /** As `Counters.refusals`. */
  refusals(principal?: string): readonly RefusalCount[] | Promise<readonly RefusalCount[]> {
    return this.#counters.refusals(principal);
  }

  health(): CountersHealth {
    return this.#counters.health();
  }

  /** Saves spending where it is kept across restarts, and closes connections. */
  async close(): Promise<void> {
    await Promise.all([this.#counters.close(), this.#refusals.close()]);
  }

  #accountsOf(principal: Principal, tags: RequestTags): readonly LimitedAccount[] {
    return this.#budgets.flatMap((budget) => {
      const asked = budgetValue(budget, principal, tags);
      if (asked === undefined) return [];
      // Requests that name no value share one budget: that of callers is not for what the gateway asks.
      if (principal.kind === "gateway" && asked.value === "" && budget.by !== "all") return [];
      const value = this.#valueIn(budget, asked);
      const { requests_per_minute: requests = null, tokens_per_minute: tokens = null, usd } = budget;
      const limits = { requests, tokens, nanoUsd: usd === undefined ? null : nanoUsdOf(usd) };
      return { id: accountOf(budget, value), limits, budget, value };
    });
  }

  #valueIn({ name }: BudgetEntry, { value, isBound }: BudgetValue): string {
    const known = this.#values.get(name) ?? new BoundedNames(MOST_VALUES);
    this.#values.set(name, known);
    return known.add(value) || isBound ? value : OTHER_VALUES;
  }
}

/** Of a request that nothing limits. */
export const UNCOUNTED: Reservation = {
  headers: {},
  reserveCost: () => null,
  settle() {},
  refuse() {},
};

/** What is counted for a key or token itself; empty when it has no limits. */
function ownAccount({ id, limits }: Principal): readonly LimitedAccount[] {
  const { requestsPerMinute: requests, tokensPerMinute: tokens, usdPerMonth: usd } = limits;
  if (requests === null && tokens === null && usd === null) return [];
  const own = { requests, tokens, nanoUsd: usd === null ? null : nanoUsdOf(usd) };
  return [{ id, limits: own, budget: null, value: "" }];
}
