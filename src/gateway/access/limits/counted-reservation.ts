import { type Counters, MOST_COUNTED, type NanoUsd } from "./counters.js";
import {
  type BudgetSwitch,
  budgetHeader,
  type ClaimedAccount,
  type LimitedAccount,
  limitHeaders,
  limitRefusal,
  type Taken,
} from "./limit-replies.js";
import type { Reservation, UsageEstimate } from "./limits.js";

const NANO = 1_000_000_000;

export interface ReservationOptions {
  readonly counters: Counters;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a budget may have another model answer. */
  readonly isSwitchable: () => boolean;
  /** Told of an account that refused the request, and of one that switched it. */
  readonly onRefusal: (refused: ClaimedAccount) => void;
  readonly onSwitch: (budget: string) => void;
}

interface Charge extends ClaimedAccount {
  readonly taken: Taken;
  /** Period, and what its budget was charged so far for this request. */
  readonly charged: { readonly nanoUsd: NanoUsd; readonly period: string };
}

/**
 * What one request has reserved in all its accounts: its key's and those of the budgets that it belongs to. Each is claimed by
 * itself, at one time; when one refuses, the others get back what they gave. No account ever holds more than its limit; where
 * claims go over a network, one that is given back may have kept room from another request for as long as that took.
 */
export class CountedReservation implements Reservation {
  readonly #accounts: readonly LimitedAccount[];
  readonly #options: ReservationOptions;
  /** Accounts whose budget is used up and has a cheaper model answer: they go on counting. */
  readonly #exhausted = new Set<LimitedAccount>();
  #charges: readonly Charge[] = [];
  #instead: BudgetSwitch | undefined;
  #isRefused = false;
  #isSettled = false;

  constructor(accounts: readonly LimitedAccount[], options: ReservationOptions) {
    this.#accounts = accounts;
    this.#options = options;
  }

  /** @throws SextantError as `Limiter.reserve`; nothing is then reserved */
  claim(estimate: UsageEstimate): CountedReservation | Promise<CountedReservation> {
    const taken = { tokens: wholeTokens(estimate.tokens), nanoUsd: nanoUsdOf(estimate.costUsd) };
    return after(this.#claimAll(this.#accounts, taken), ({ claimed, refused }) => {
      if (refused.length > 0) {
        const told = { isFree: estimate.costUsd === 0, shown: [...claimed, ...refused] };
        this.#goOnWithout(refused, { taken, ...told });
        // What answers instead is not known yet, nor is its cost.
        return this.claim({ tokens: estimate.tokens, costUsd: 0 });
      }
      this.#charges = claimed.map(({ account, tally }) => ({
        ...{ account, tally, taken },
        charged: { nanoUsd: taken.nanoUsd, period: tally.period },
      }));
      return this;
    });
  }

  get instead(): BudgetSwitch | undefined {
    return this.#instead;
  }

  get headers(): Readonly<Record<string, string>> {
    const shown = { instead: this.#instead, nowMs: this.#options.now() };
    return { ...limitHeaders(this.#charges), ...budgetHeader(this.#charges, shown) };
  }

  reserveCost(costUsd: number | null): void | Promise<void> {
    const taken = { tokens: 0, nanoUsd: nanoUsdOf(costUsd) };
    const counting = this.#charges
      .map(({ account }) => account)
      .filter(({ limits }) => limits.nanoUsd !== null);
    if (counting.length === 0 || taken.nanoUsd === 0) return;
    return after(this.#claimAll(counting, taken, "cost"), ({ claimed, refused }) => {
      if (refused.length === 0) return this.#charge(claimed, taken);
      const wasSwitched = this.#instead !== undefined;
      this.#isRefused = true;
      this.#goOnWithout(refused, { taken, isFree: false, shown: this.#charges });
      this.#isRefused = false;
      // A request is switched once: what answers now is what shall answer.
      if (wasSwitched) return this.reserveCost(costUsd);
    });
  }

  settle(used: UsageEstimate): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const requests = this.#isRefused ? -1 : 0;
    for (const { account, taken, tally, charged } of this.#charges) {
      const tokens = wholeTokens(used.tokens) - taken.tokens;
      const nanoUsd = account.limits.nanoUsd === null ? 0 : nanoUsdOf(used.costUsd) - charged.nanoUsd;
      if (requests === 0 && tokens === 0 && nanoUsd === 0) continue;
      const { minute } = tally;
      const correction = { minute, requests, tokens, period: charged.period, nanoUsd };
      this.#options.counters.correct({ principal: account.id, ...correction });
    }
  }

  /** Takes it in all accounts, or in none: then `claimed` are those that would have had room, and have it still. */
  #claimAll(accounts: readonly LimitedAccount[], taken: Taken, what: "cost" | "all" = "all") {
    const { counters } = this.#options;
    const tallies = accounts.map((account) => {
      const { id: principal } = account;
      const nanoUsd = this.#exhausted.has(account) ? MOST_COUNTED : account.limits.nanoUsd;
      const limits =
        what === "all" ? { ...account.limits, nanoUsd } : { requests: null, tokens: null, nanoUsd };
      return after(counters.claim({ principal, limits, ...taken }), (tally) => ({ account, tally }));
    });
    return after(allOf(tallies), (all) => {
      const refused = all.filter(({ tally }) => tally.refusedBy !== null);
      const claimed = all.filter(({ tally }) => tally.refusedBy === null);
      if (refused.length > 0) {
        for (const { account, tally } of claimed) {
          const { minute, period } = tally;
          const nanoUsd = account.limits.nanoUsd === null ? 0 : -taken.nanoUsd;
          const correction = { minute, requests: -1, tokens: -taken.tokens, period, nanoUsd };
          counters.correct({ principal: account.id, ...correction });
        }
      }
      return { claimed, refused };
    });
  }

  /** @throws SextantError unless all that refused it have another model answer */
  #goOnWithout(
    refused: readonly ClaimedAccount[],
    {
      taken,
      isFree,
      shown,
    }: { readonly taken: Taken; readonly isFree: boolean; readonly shown: readonly ClaimedAccount[] },
  ): void {
    const { now, isSwitchable, onRefusal, onSwitch } = this.#options;
    const goesOn = ({ account, tally }: ClaimedAccount): boolean =>
      account.budget?.at_limit !== undefined && tally.refusedBy === "budget" && (isFree || isSwitchable());
    const final = refused.find((one) => !goesOn(one));
    if (final !== undefined) {
      onRefusal(final);
      throw limitRefusal(final, { taken, headers: limitHeaders(shown), nowMs: now() });
    }
    for (const { account } of refused) {
      this.#exhausted.add(account);
      const { name: budget = "", at_limit: instead } = account.budget ?? {};
      // What costs nothing needs no cheaper model.
      if (isFree || instead === undefined || this.#instead !== undefined) continue;
      this.#instead = { budget, preset: instead.preset };
      onSwitch(budget);
    }
  }

  #charge(claimed: readonly ClaimedAccount[], { nanoUsd }: Taken): void {
    const tallies = new Map(claimed.map(({ account, tally }) => [account, tally]));
    this.#charges = this.#charges.map((charge) => {
      const tally = tallies.get(charge.account);
      if (tally === undefined) return charge;
      const { period, nanoUsd: spent } = tally;
      // What was charged in an earlier period is not part of one that began meanwhile.
      const before = period === charge.charged.period ? charge.charged.nanoUsd : 0;
      return {
        ...charge,
        tally: { ...charge.tally, nanoUsd: spent },
        charged: { nanoUsd: before + nanoUsd, period },
      };
    });
  }
}

/** At once where the value is there. */
const after = <Value, Next>(value: Value | Promise<Value>, next: (value: Value) => Next | Promise<Next>) =>
  value instanceof Promise ? value.then(next) : next(value);

function allOf<Value>(
  values: readonly (Value | Promise<Value>)[],
): readonly Value[] | Promise<readonly Value[]> {
  const isThere = (value: Value | Promise<Value>): value is Value => !(value instanceof Promise);
  return values.every(isThere) ? values : Promise.all(values);
}

/** Rounds up. NaN counts as 0, or it would make every later sum NaN. */
const wholeTokens = (tokens: number): number => (tokens > 0 ? Math.min(Math.ceil(tokens), MOST_COUNTED) : 0);

export const nanoUsdOf = (usd: number | null): NanoUsd =>
  usd !== null && usd > 0 ? Math.min(Math.round(usd * NANO), MOST_COUNTED) : 0;
