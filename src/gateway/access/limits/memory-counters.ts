import { RecentMap } from "../recent-map.js";
import {
  type Claim,
  type Correction,
  type Counters,
  type CountersHealth,
  MINUTE_MS,
  type RefusalCount,
  type RefusedRequest,
  refusalOf,
  sumOf,
  type Tally,
  type Used,
} from "./counters.js";
import type { PeriodSpend } from "./period-spend.js";
import { RefusalHistory } from "./refusal-history.js";
import { periodAt } from "./spend-period.js";

interface Minute {
  readonly id: number;
  readonly endsAtMs: number;
  requests: number;
  tokens: number;
}

export interface MemoryCountersOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly spend: PeriodSpend;
  /** Default: nothing was refused before. */
  readonly refusals?: RefusalHistory;
}

/**
 * Counters of one process. They answer at once; a claim costs well under a microsecond. Minutes of principals that went
 * quiet are dropped within two minutes.
 */
export class MemoryCounters implements Counters {
  readonly #now: () => number;
  readonly #spend: PeriodSpend;
  readonly #minutes = new RecentMap<Minute>();
  readonly #refusals: RefusalHistory;
  #rotatedAtMs: number;

  constructor({ now, spend, refusals = new RefusalHistory() }: MemoryCountersOptions) {
    this.#refusals = refusals;
    this.#now = now;
    this.#spend = spend;
    this.#rotatedAtMs = now();
  }

  claim(claim: Claim): Tally {
    const { principal, limits, tokens } = claim;
    const nanoUsd = limits.nanoUsd === null ? 0 : claim.nanoUsd;
    const nowMs = this.#now();
    const period = periodAt(principal, nowMs).name;
    const spent = limits.nanoUsd === null ? 0 : this.#spend.total(principal, period);
    const isByMinute = limits.requests !== null || limits.tokens !== null;
    let minute = isByMinute ? this.#running(principal, nowMs) : undefined;
    const counted = { requests: minute?.requests ?? 0, tokens: minute?.tokens ?? 0, nanoUsd: spent };
    const refusedBy = refusalOf(claim, counted);
    const isGranted = refusedBy === null;
    if (isGranted && isByMinute) {
      minute ??= this.#start(principal, nowMs);
      minute.requests += 1;
      minute.tokens = sumOf(minute.tokens, tokens);
    }
    if (isGranted) this.#spend.add({ principal, period, nanoUsd }, nowMs);
    return {
      refusedBy,
      requests: minute?.requests ?? 0,
      tokens: minute?.tokens ?? 0,
      minute: minute?.id ?? 0,
      minuteEndsInMs: minute === undefined ? 0 : minute.endsAtMs - nowMs,
      period,
      nanoUsd: isGranted ? spent + nanoUsd : spent,
    };
  }

  correct(correction: Correction): void {
    this.#correctMinute(correction);
    this.#spend.add(correction, this.#now());
  }

  used(principal: string): Used {
    const nowMs = this.#now();
    const { requests = 0, tokens = 0 } = this.#running(principal, nowMs) ?? {};
    const nanoUsd = this.#spend.total(principal, periodAt(principal, nowMs).name);
    return { requests, tokens, nanoUsd };
  }

  usedBy(principals: readonly string[]): readonly Used[] {
    return principals.map((principal) => this.used(principal));
  }

  accounts(prefix: string): readonly string[] {
    const nowMs = this.#now();
    return this.#spend
      .entries(nowMs)
      .filter((one) => one.principal.startsWith(prefix) && one.period === periodAt(prefix, nowMs).name)
      .map(({ principal }) => principal);
  }

  noteRefusal(refused: RefusedRequest): void {
    this.#refusals.note(refused, this.#now());
  }

  refusals(principal?: string): readonly RefusalCount[] {
    return this.#refusals.of(principal, this.#now());
  }

  /** Replaces a principal's counts by those of other counters. */
  learn(principal: string, tally: Tally): void {
    const nowMs = this.#now();
    const { period, nanoUsd, minute: id, requests, tokens, minuteEndsInMs } = tally;
    const isRunning = period === periodAt(principal, nowMs).name;
    if (isRunning && nanoUsd > 0) this.#spend.learn({ principal, period, nanoUsd }, nowMs);
    if (id === 0) return;
    this.#put(principal, { id, requests, tokens, endsAtMs: nowMs + minuteEndsInMs }, nowMs);
  }

  /** Applies a correction without passing it on to the persistent counters, which get it from elsewhere. */
  learnCorrection(correction: Correction): void {
    this.#correctMinute(correction);
    this.#spend.addReported(correction, this.#now());
  }

  /** Minutes in memory; some may have ended. */
  get minuteCount(): number {
    return this.#minutes.count;
  }

  health(): CountersHealth {
    return { ok: true, store: "memory", shared: false };
  }

  async close(): Promise<void> {}

  #correctMinute({ principal, minute, requests, tokens }: Correction): void {
    const running = minute === 0 ? undefined : this.#running(principal, this.#now());
    if (running?.id === minute) {
      running.requests += requests;
      running.tokens = sumOf(running.tokens, tokens);
    }
  }

  #running(principal: string, nowMs: number): Minute | undefined {
    const minute = this.#minutes.get(principal);
    if (minute === undefined) return undefined;
    const leftMs = minute.endsAtMs - nowMs;
    // A minute that has more than a minute left was started before the clock was set back.
    return leftMs > 0 && leftMs <= MINUTE_MS ? minute : undefined;
  }

  #start(principal: string, nowMs: number): Minute {
    const minute = { id: nowMs, endsAtMs: nowMs + MINUTE_MS, requests: 0, tokens: 0 };
    this.#put(principal, minute, nowMs);
    return minute;
  }

  #put(principal: string, minute: Minute, nowMs: number): void {
    if (nowMs - this.#rotatedAtMs >= MINUTE_MS || nowMs < this.#rotatedAtMs) {
      this.#minutes.rotate();
      this.#rotatedAtMs = nowMs;
    }
    this.#minutes.set(principal, minute);
  }
}
