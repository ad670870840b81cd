import { type CalendarMonth, calendarMonthAt } from "./calendar-month.js";
import { type NanoUsd, sumOf } from "./counters.js";

/** Amounts by principal, of one month. Additions may be negative. */
export interface MonthAmounts {
  readonly month: string;
  readonly amounts: ReadonlyMap<string, NanoUsd>;
}

/**
 * What principals spent this month, and which part of it has not been reported to the persistent store (a file, or Redis) yet.
 *
 * Only the running month is kept. Its size is one number per principal that spent anything.
 */
export class MonthlySpend {
  #month: CalendarMonth;
  readonly #totals = new Map<string, NanoUsd>();
  readonly #unreported = new Map<string, NanoUsd>();

  constructor(nowMs: number) {
    this.#month = calendarMonthAt(nowMs);
  }

  /** The month of that time. The first call in a new month sets all amounts to zero. */
  monthAt(nowMs: number): CalendarMonth {
    if (nowMs >= this.#month.endMs || nowMs < this.#month.startMs) {
      this.#month = calendarMonthAt(nowMs);
      this.#totals.clear();
      this.#unreported.clear();
    }
    return this.#month;
  }

  total(principal: string): NanoUsd {
    return this.#totals.get(principal) ?? 0;
  }

  /** Of all principals that spent anything. */
  get totals(): ReadonlyMap<string, NanoUsd> {
    return this.#totals;
  }

  add(principal: string, amount: NanoUsd): void {
    if (amount === 0) return;
    this.#totals.set(principal, sumOf(this.total(principal), amount));
    this.#unreported.set(principal, sumOf(this.#unreported.get(principal) ?? 0, amount));
  }

  /** Adds spending that is reported to the persistent store from elsewhere. */
  addReported(principal: string, amount: NanoUsd): void {
    this.#totals.set(principal, sumOf(this.total(principal), amount));
  }

  /** Takes over the amounts of the persistent store, and adds the unreported part to them. */
  learn(principal: string, total: NanoUsd): void {
    this.#totals.set(principal, sumOf(total, this.#unreported.get(principal) ?? 0));
  }

  get hasUnreported(): boolean {
    return this.#unreported.size > 0;
  }

  /** The unreported part, which counts as reported from now on; `putBack` what could not be reported. */
  takeUnreported(): MonthAmounts {
    const amounts = new Map(this.#unreported);
    this.#unreported.clear();
    return { month: this.#month.name, amounts };
  }

  putBack({ month, amounts }: MonthAmounts): void {
    if (month !== this.#month.name) return;
    for (const [principal, amount] of amounts) {
      this.#unreported.set(principal, sumOf(this.#unreported.get(principal) ?? 0, amount));
    }
  }
}
