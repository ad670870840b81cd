import { type NanoUsd, sumOf } from "./counters.js";
import { periodAt, type SpendPeriod } from "./spend-period.js";

/** A change of what one principal has spent: what it reserved, or the difference when that was settled. */
export interface SpendEntry {
  /** Name of the period: `2026-01` */
  readonly period: string;
  readonly principal: string;
  readonly nanoUsd: NanoUsd;
}

interface Spent {
  readonly period: SpendPeriod;
  total: NanoUsd;
  unreported: NanoUsd;
}

const SWEEP_MS = 3_600_000;

/**
 * What principals spent in their running periods, and which part of it has not been reported to the persistent store (a file, or
 * Redis) yet.
 *
 * Its size is some numbers per principal that spent anything in a period that has not ended.
 */
export class PeriodSpend {
  readonly #spent = new Map<string, Spent>();
  #sweptMs = Number.NEGATIVE_INFINITY;

  total(principal: string, nowMs: number): NanoUsd {
    return this.#running(principal, nowMs)?.total ?? 0;
  }

  /** Of all principals that spent anything. */
  entries(nowMs: number): readonly SpendEntry[] {
    this.#forgetEnded(nowMs);
    return [...this.#spent].map(([principal, { period, total }]) => ({
      ...{ principal, period: period.name, nanoUsd: total },
    }));
  }

  /** May be negative. */
  add(principal: string, amount: NanoUsd, nowMs: number): void {
    if (amount === 0) return;
    const spent = this.#started(principal, nowMs);
    spent.total = sumOf(spent.total, amount);
    spent.unreported = sumOf(spent.unreported, amount);
  }

  /** Adds spending that is reported to the persistent store from elsewhere. */
  addReported(principal: string, amount: NanoUsd, nowMs: number): void {
    const spent = this.#started(principal, nowMs);
    spent.total = sumOf(spent.total, amount);
  }

  /** Takes over the amount of the persistent store, and adds the unreported part to it. */
  learn(principal: string, total: NanoUsd, nowMs: number): void {
    const spent = this.#started(principal, nowMs);
    spent.total = sumOf(total, spent.unreported);
  }

  get hasUnreported(): boolean {
    return [...this.#spent.values()].some(({ unreported }) => unreported !== 0);
  }

  /** The unreported part, which counts as reported from now on; `putBack` what could not be reported. */
  takeUnreported(): readonly SpendEntry[] {
    return [...this.#spent].flatMap(([principal, spent]) => {
      const { period, unreported: nanoUsd } = spent;
      spent.unreported = 0;
      return nanoUsd === 0 ? [] : [{ principal, period: period.name, nanoUsd }];
    });
  }

  /** Ignored once its period has ended. */
  putBack({ principal, period, nanoUsd }: SpendEntry, nowMs: number): void {
    if (period !== periodAt(principal, nowMs).name) return;
    const spent = this.#started(principal, nowMs);
    spent.unreported = sumOf(spent.unreported, nanoUsd);
  }

  #running(principal: string, nowMs: number): Spent | undefined {
    const spent = this.#spent.get(principal);
    if (spent === undefined || (spent.period.startMs <= nowMs && nowMs < spent.period.endMs)) return spent;
    this.#spent.delete(principal);
    return undefined;
  }

  #started(principal: string, nowMs: number): Spent {
    const running = this.#running(principal, nowMs);
    if (running !== undefined) return running;
    if (nowMs - this.#sweptMs >= SWEEP_MS) this.#forgetEnded(nowMs);
    const spent = { period: periodAt(principal, nowMs), total: 0, unreported: 0 };
    this.#spent.set(principal, spent);
    return spent;
  }

  #forgetEnded(nowMs: number): void {
    this.#sweptMs = nowMs;
    for (const principal of this.#spent.keys()) this.#running(principal, nowMs);
  }
}
