import { type Counters, MOST_COUNTED, type NanoUsd } from "./counters.js";
import {
  type BudgetSwitch,
  budgetHeader,
  type ClaimedAccount,
  type LimitedAccount,
  type LimitRefusal,
  limitHeaders,
  limitRefusal,
  type Taken,
} from "./limit-replies.js";
import type { RefusedCost, Reservation, UsageEstimate, WhenFull } from "./limits.js";
import { periodAt } from "./spend-period.js";

const NANO = 1_000_000_000;

export interface ReservationOptions {
  readonly counters: Counters;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a budget may have another model answer. */
  readonly isSwitchable: () => boolean;
  /** Told why the request was refused, and of a budget that switched it. */
  readonly onRefusal: (refusal: LimitRefusal) => void;
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
  /** Accounts whose budget is used up and has a cheaper model answer: they go on counting what that costs. */
  readonly #exhausted = new Set<LimitedAccount>();
  #charges: readonly Charge[] = [];
  #instead: BudgetSwitch | undefined;
  #isSettled = false;

  constructor(accounts: readonly LimitedAccount[], options: ReservationOptions) {
    this.#accounts = accounts;
    this.#options = options;
  }

  /** @throws SextantError as `Limiter.reserve`; nothing is then reserved */
  claim(estimate: UsageEstimate): CountedReservation | Promise<CountedReservation> {
    const taken = { tokens: wholeTokens(estimate.tokens), nanoUsd: nanoUsdOf(estimate.costUsd) };
    const wanted = this.#accounts.map((account) => ({ account, ...taken }));
    return after(this.#claimAll(wanted), ({ claimed, refused }) => {
      if (refused.length > 0) {
        const told = { isFree: estimate.costUsd === 0, shown: [...claimed, ...refused] };
        const refusal = this.#goOnWithout(refused, { taken, whenFull: "switch", ...told });
        if (refusal !== null) {
          this.#options.onRefusal(refusal);
          throw refusal;
        }
        // What answers instead is not known yet, nor is its cost.
        return this.claim({ tokens: estimate.tokens, costUsd: 0 });
      }
      this.#charges = claimed.map(({ account, tally }) => ({
        account,
        tally,
        taken,
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

  reserveCost(costUsd: number | null, whenFull: WhenFull): RefusedCost | Promise<RefusedCost> {
    return after(this.#raise(costUsd), ({ taken, refused }) => {
      if (refused.length === 0) return null;
      const wasSwitched = this.#instead !== undefined;
      const told = { taken, isFree: false, shown: this.#charges };
      const refusal = this.#goOnWithout(refused, { whenFull, ...told });
      // A request is switched once: what answers now is what shall answer.
      return refusal === null && wasSwitched ? this.reserveCost(costUsd, whenFull) : refusal;
    });
  }

  settle(used: UsageEstimate, requests = 0): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    for (const { account, taken, tally, charged } of this.#charges) {
      const tokens = wholeTokens(used.tokens) - taken.tokens;
      const nanoUsd = account.limits.nanoUsd === null ? 0 : nanoUsdOf(used.costUsd) - charged.nanoUsd;
      if (requests === 0 && tokens === 0 && nanoUsd === 0) continue;
      const { minute } = tally;
      const correction = { minute, requests, tokens, period: charged.period, nanoUsd };
      this.#options.counters.correct({ principal: account.id, ...correction });
    }
  }

  refuse(refusal: LimitRefusal): void {
    this.settle({ tokens: 0, costUsd: 0 }, -1);
    this.#options.onRefusal(refusal);
  }

  /** Takes in all budgets what is missing there to that much, or in none; those that refused it stand as without this request. */
  #raise(costUsd: number | null) {
    const taken = { tokens: 0, nanoUsd: nanoUsdOf(costUsd) };
    const wanted = this.#charges.flatMap(({ account, charged }) => {
      const isRunning = charged.period === periodAt(account.id, this.#options.now()).name;
      const nanoUsd = taken.nanoUsd - (isRunning ? charged.nanoUsd : 0);
      return account.limits.nanoUsd === null || nanoUsd <= 0 ? [] : { account, tokens: 0, nanoUsd };
    });
    if (wanted.length === 0) return { taken, refused: [] };
    return after(this.#claimAll(wanted, "cost"), ({ claimed, refused }) => {
      if (refused.length === 0) this.#charge(claimed);
      const without = refused.map(({ account, tally, taken: missing }) => {
        const nanoUsd = Math.max(0, tally.nanoUsd - (taken.nanoUsd - missing.nanoUsd));
        return { account, tally: { ...tally, nanoUsd } };
      });
      return { taken, refused: without };
    });
  }

  /** Takes it in all accounts, or in none: then `claimed` are those that would have had room, and have it still. */
  #claimAll(wanted: readonly (Taken & { readonly account: LimitedAccount })[], what: "cost" | "all" = "all") {
    const { counters } = this.#options;
    const tallies = wanted.map(({ account, ...taken }) => {
      const { id: principal } = account;
      const goesOn = this.#exhausted.has(account) && (taken.nanoUsd === 0 || this.#instead !== undefined);
      const nanoUsd = goesOn ? MOST_COUNTED : account.limits.nanoUsd;
      const limits =
        what === "all" ? { ...account.limits, nanoUsd } : { requests: null, tokens: null, nanoUsd };
      return after(counters.claim({ principal, limits, ...taken }), (tally) => ({ account, taken, tally }));
    });
    return after(allOf(tallies), (all) => {
      const refused = all.filter(({ tally }) => tally.refusedBy !== null);
      const claimed = all.filter(({ tally }) => tally.refusedBy === null);
      if (refused.length > 0) {
        for (const { account, taken, tally } of claimed) {
          const { minute, period } = tally;
          const nanoUsd = account.limits.nanoUsd === null ? 0 : -taken.nanoUsd;
          const correction = { minute, requests: -1, tokens: -taken.tokens, period, nanoUsd };
          counters.correct({ principal: account.id, ...correction });
        }
      }
      return { claimed, refused };
    });
  }

  /** Why not, unless all that refused it have another model answer. */
  #goOnWithout(
    refused: readonly ClaimedAccount[],
    { taken, shown, isFree, whenFull }: Told,
  ): LimitRefusal | null {
    const { now, isSwitchable, onSwitch } = this.#options;
    const goesOn = ({ account, tally }: ClaimedAccount): boolean =>
      account.budget?.at_limit !== undefined &&
      tally.refusedBy === "budget" &&
      whenFull === "switch" &&
      (isFree || isSwitchable());
    const by = refused.find((one) => !goesOn(one));
    if (by !== undefined) return limitRefusal({ by, taken, headers: limitHeaders(shown), nowMs: now() });
    for (const { account } of refused) {
      this.#exhausted.add(account);
      const { name: budget = "", at_limit: instead } = account.budget ?? {};
      // What costs nothing needs no cheaper model.
      if (isFree || instead === undefined || this.#instead !== undefined) continue;
      this.#instead = { budget, preset: instead.preset };
      onSwitch(budget);
    }
    return null;
  }

  #charge(claimed: readonly (ClaimedAccount & { readonly taken: Taken })[]): void {
    this.#charges = this.#charges.map((charge) => {
      const claim = claimed.find(({ account }) => account === charge.account);
      if (claim === undefined) return charge;
      const { period, nanoUsd: spent } = claim.tally;
      const before = period === charge.charged.period ? charge.charged.nanoUsd : 0;
      return {
        ...charge,
        tally: { ...charge.tally, nanoUsd: spent },
        charged: { nanoUsd: before + claim.taken.nanoUsd, period },
      };
    });
  }
}

/** What was asked for when an account refused it. */
interface Told {
  readonly taken: Taken;
  readonly shown: readonly ClaimedAccount[];
  readonly isFree: boolean;
  readonly whenFull: WhenFull;
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
