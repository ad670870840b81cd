import { type NanoUsd, sumOf } from "./counters.js";
import { periodAt } from "./spend-period.js";

/** A change of what one principal has spent: what it reserved, or the difference when that was settled. */
export interface SpendEntry {
  /** Name of the period: `2026-01` */
  readonly period: string;
  readonly principal: string;
  readonly nanoUsd: NanoUsd;
}

interface Spent {
  readonly period: string;
  total: NanoUsd;
  unreported: NanoUsd;
  /** When it was first seen that another period runs, in milliseconds since the epoch. */
  overMs?: number;
}

const SWEEP_MS = 3_600_000;
const DAY_MS = 86_400_000;

/**
 * What principals spent in their running periods, and which part of it has not been reported to Redis yet. The period before counts on for a day, for a clock that is set back and for requests that end late.
 *
 * Its size is some numbers per principal that spent anything in those.
 */
export class PeriodSpend {
  /** At most three periods of each principal, the one that began to count last first. */
  readonly #spent = new Map<string, readonly Spent[]>();
  #sweptMs = Number.NEGATIVE_INFINITY;

  total(principal: string, period: string): NanoUsd {
    return this.#find(principal, period)?.total ?? 0;
  }

  /** Of all principals that spent anything, by period. */
  entries(nowMs: number): readonly SpendEntry[] {
    if (nowMs - this.#sweptMs >= SWEEP_MS) this.#sweep(nowMs);
    return [...this.#all()].flatMap(([principal, { period, total: nanoUsd }]) =>
      nanoUsd === 0 ? [] : { principal, period, nanoUsd },
    );
  }

  /** May be negative. Ignored where the period neither runs nor counts on. */
  add({ principal, period, nanoUsd }: SpendEntry, nowMs: number): void {
    const spent = nanoUsd === 0 ? undefined : this.#at(principal, period, { nowMs });
    if (spent === undefined) return;
    spent.total = sumOf(spent.total, nanoUsd);
    spent.unreported = sumOf(spent.unreported, nanoUsd);
  }

  /** Adds spending that is reported to the persistent store from elsewhere. Ignored as by `add`. */
  addReported({ principal, period, nanoUsd }: SpendEntry, nowMs: number): void {
    const spent = this.#at(principal, period, { nowMs });
    if (spent !== undefined) spent.total = sumOf(spent.total, nanoUsd);
  }

  /** Takes over the amount of the persistent store, and adds the unreported part to it. */
  learn({ principal, period, nanoUsd }: SpendEntry, nowMs: number): void {
    const spent = this.#find(principal, period) ?? this.#start(principal, period, { nowMs });
    spent.total = sumOf(nanoUsd, spent.unreported);
  }

  get hasUnreported(): boolean {
    return [...this.#all()].some(([, { unreported }]) => unreported !== 0);
  }

  /** The unreported part, which counts as reported from now on; `putBack` what could not be reported. */
  takeUnreported(): readonly SpendEntry[] {
    return [...this.#all()].flatMap(([principal, spent]) => {
      const { period, unreported: nanoUsd } = spent;
      spent.unreported = 0;
      return nanoUsd === 0 ? [] : [{ principal, period, nanoUsd }];
    });
  }

  /** Ignored as by `add`. */
  putBack({ principal, period, nanoUsd }: SpendEntry, nowMs: number): void {
    const spent = this.#at(principal, period, { nowMs });
    if (spent !== undefined) spent.unreported = sumOf(spent.unreported, nanoUsd);
  }

  *#all(): Generator<readonly [principal: string, spent: Spent]> {
    for (const [principal, periods] of this.#spent) for (const spent of periods) yield [principal, spent];
  }

  #find(principal: string, period: string): Spent | undefined {
    return this.#spent.get(principal)?.find((spent) => spent.period === period);
  }

  #at(principal: string, period: string, { nowMs }: { readonly nowMs: number }): Spent | undefined {
    const isRunning = () => period === periodAt(principal, nowMs).name;
    const found = this.#find(principal, period);
    return found ?? (isRunning() ? this.#start(principal, period, { nowMs }) : undefined);
  }

  #start(principal: string, period: string, { nowMs }: { readonly nowMs: number }): Spent {
    if (nowMs - this.#sweptMs >= SWEEP_MS) this.#sweep(nowMs);
    const spent: Spent = { period, total: 0, unreported: 0 };
    this.#spent.set(principal, [spent, ...(this.#spent.get(principal)?.slice(0, 2) ?? [])]);
    return spent;
  }

  /** Forgets what has been over for a day. */
  #sweep(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const [principal, periods] of this.#spent) {
      const running = periodAt(principal, nowMs).name;
      const kept = periods.filter((spent) => {
        if (spent.period === running) delete spent.overMs;
        else spent.overMs ??= nowMs;
        return nowMs - (spent.overMs ?? nowMs) < DAY_MS;
      });
      if (kept.length === 0) this.#spent.delete(principal);
      else if (kept.length < periods.length) this.#spent.set(principal, kept);
    }
  }
}
