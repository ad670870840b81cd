/** What the calls of one provider and model show: how they ended, how long they took, and what is expected of the next. */
import { type CallKind, CallTimes } from "./call-limits.js";

/** Number of calls kept for errors and the median: enough for a median, few enough to recover after an outage (guess). */
const RECENT_CALLS = 64;

/** What a provider can be expected to do with a model, from the calls that this process made. */
export interface HostFigures {
  /** 0 to 1. */
  readonly errorRate: number;
  /** Share of its calls that another model than was asked for answered, 0 to 1. */
  readonly otherModelRate: number;
  /** Milliseconds from the call to its first content, or to the answer where it came whole. */
  readonly firstContentMs: number;
  /** Tokens of an answer by the time of its whole call. */
  readonly tokensPerSecond: number;
}

/** What is expected of a provider that was not called (guesses): a good one, so that each is tried some time. */
export const EXPECTED_FIGURES: HostFigures = {
  errorRate: 0.01,
  otherModelRate: 0,
  firstContentMs: 1000,
  tokensPerSecond: 50,
};
/**
 * Calls and seconds of generation that the expected figures count as (guesses): fewer of a provider's own hardly move its
 * figures.
 */
const PRIOR_CALLS = 10;
const PRIOR_SECONDS = 10;
/** After which a call counts half (guess): a provider that was slow is tried again within the hour. */
const HALF_LIFE_MS = 10 * 60_000;

/** A call that was answered. */
export interface AnsweredCall {
  /** From the start of the call; for a whole reply, to its end. */
  readonly firstContentMs: number;
  /** What the answer was made of, and the milliseconds of the whole call; absent where the provider did not count. */
  readonly counted?: { readonly tokens: number; readonly totalMs: number } | undefined;
  /** The longest silence in a stream after its first content. */
  readonly silenceMs?: number | undefined;
  /** Absent: its times are not compared with others'. */
  readonly kind?: CallKind | undefined;
}

const SUMS = ["calls", "failures", "others", "answers", "logMs", "tokens", "seconds"] as const;

/** Constant time for each call, and constant memory for each kind of call. */
export class CallStatistics {
  /** Milliseconds to the first content of the last calls, in a ring; NaN for a call that failed. */
  readonly #recent = new Float64Array(RECENT_CALLS);
  #recorded = 0;
  readonly #times = new Map<string, CallTimes>();
  #atMs = Number.NEGATIVE_INFINITY;
  /** Decaying sums. Times are summed as logarithms, so that one call that hung does not weigh as much as a hundred others. */
  readonly #sums = { calls: 0, failures: 0, others: 0, answers: 0, logMs: 0, tokens: 0, seconds: 0 };

  succeeded(nowMs: number, { firstContentMs, counted, silenceMs, kind }: AnsweredCall): void {
    this.#remember(firstContentMs);
    if (kind !== undefined) {
      const times = this.#times.get(nameOf(kind)) ?? new CallTimes(kind.reply);
      this.#times.set(nameOf(kind), times);
      times.add(firstContentMs, silenceMs);
    }
    const sums = this.#sumsAt(nowMs);
    sums.calls += 1;
    sums.answers += 1;
    sums.logMs += Math.log(Math.max(1, firstContentMs));
    sums.tokens += counted?.tokens ?? 0;
    sums.seconds += (counted?.totalMs ?? 0) / 1000;
  }

  /** @param nowMs null where it says nothing of the host: one of several keys was refused */
  failed(nowMs: number | null): void {
    this.#remember(Number.NaN);
    if (nowMs === null) return;
    const sums = this.#sumsAt(nowMs);
    sums.calls += 1;
    sums.failures += 1;
  }

  /** The call that succeeded last was answered by another model than was asked for. */
  servedAnother(nowMs: number): void {
    this.#sumsAt(nowMs).others += 1;
  }

  /** Share of the last 64 calls that failed, 0 to 1; null before the first call. */
  get errorRate(): number | null {
    const recent = this.#lastCalls();
    return recent.length === 0 ? null : recent.filter(Number.isNaN).length / recent.length;
  }

  /** Median of the last 64 calls that succeeded, the lower of two middle ones; null without any. */
  get medianFirstContentMs(): number | null {
    const times = this.#lastCalls().filter((time) => !Number.isNaN(time));
    return times.sort()[Math.floor((times.length - 1) / 2)] ?? null;
  }

  /** The times of such calls; undefined before the first. */
  timesOf(kind: CallKind): CallTimes | undefined {
    return this.#times.get(nameOf(kind));
  }

  figuresAt(nowMs: number): HostFigures {
    const { calls, failures, others, answers, logMs, tokens, seconds } = this.#sumsAt(nowMs);
    const { errorRate, firstContentMs, tokensPerSecond } = EXPECTED_FIGURES;
    const logSum = logMs + PRIOR_CALLS * Math.log(firstContentMs);
    return {
      errorRate: (failures + PRIOR_CALLS * errorRate) / (calls + PRIOR_CALLS),
      otherModelRate: others / (calls + PRIOR_CALLS),
      firstContentMs: Math.exp(logSum / (answers + PRIOR_CALLS)),
      tokensPerSecond: (tokens + PRIOR_SECONDS * tokensPerSecond) / (seconds + PRIOR_SECONDS),
    };
  }

  #lastCalls(): Float64Array {
    return this.#recent.subarray(0, Math.min(this.#recorded, RECENT_CALLS));
  }

  #remember(firstContentMs: number): void {
    this.#recent[this.#recorded % RECENT_CALLS] = firstContentMs;
    this.#recorded += 1;
  }

  /** What is left of the sums now. */
  #sumsAt(nowMs: number): Record<(typeof SUMS)[number], number> {
    const left = this.#atMs === Number.NEGATIVE_INFINITY ? 0 : 2 ** ((this.#atMs - nowMs) / HALF_LIFE_MS);
    this.#atMs = nowMs;
    for (const sum of SUMS) this.#sums[sum] *= left;
    return this.#sums;
  }
}

const nameOf = ({ reply, effort = "" }: CallKind): string => `${reply} ${effort}`;
