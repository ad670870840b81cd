import type { AppliedLimits, TimeAllowed } from "./model-limits.js";

/** Calls that are remembered, and of which there must be so many before a limit follows from them (guesses). */
const REMEMBERED = 128;
const ENOUGH = 50;
/** How often the limit is computed anew, in calls. */
const EVERY = 16;
/** What a call may take of the 99th percentile of the others (guess). */
const TIMES_P99 = 5;

/** The times of recent calls of one kind, and the limit that follows from them. */
export class MeasuredLimit {
  #times: Float64Array | undefined;
  #recorded = 0;
  #limit: TimeAllowed | undefined;

  /** @param leastMs what a call may take in any case */
  constructor(private readonly leastMs: number) {}

  /** 5 times the 99th percentile of the last 128 calls, at least the least; undefined before the 50th. */
  get limit(): TimeAllowed | undefined {
    return this.#limit;
  }

  add(milliseconds: number): void {
    this.#times ??= new Float64Array(REMEMBERED);
    this.#times[this.#recorded % REMEMBERED] = milliseconds;
    this.#recorded += 1;
    if (this.#recorded < ENOUGH || (this.#recorded - ENOUGH) % EVERY !== 0) return;
    const sorted = this.#times.slice(0, Math.min(this.#recorded, REMEMBERED)).sort();
    const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0;
    this.#limit = { ms: Math.ceil(Math.max(this.leastMs, TIMES_P99 * p99)), name: "measured" };
  }
}

/** Calls whose times are compared: streams or whole replies, at an effort. */
export interface CallKind {
  readonly reply: "stream" | "whole";
  readonly effort: string | undefined;
}

/** Of the calls of one kind at a deployment. The least times are guesses. */
export class CallTimes {
  /** To the first content of a stream. */
  readonly firstToken = new MeasuredLimit(20_000);
  /** The longest silence in a stream after that. */
  readonly idle = new MeasuredLimit(30_000);
  /** To the end of a reply that is not streamed; a stream that goes on is never too long. */
  readonly total = new MeasuredLimit(60_000);

  constructor(private readonly reply: CallKind["reply"]) {}

  add(firstContentMs: number, silenceMs: number | undefined): void {
    (this.reply === "stream" ? this.firstToken : this.total).add(firstContentMs);
    if (silenceMs !== undefined) this.idle.add(silenceMs);
  }
}

/** The limits with those that are measured, where these are shorter; the times to an answer only where others can give one. */
export function withMeasured(
  limits: AppliedLimits,
  times: CallTimes | undefined,
  { hasAnother }: { readonly hasAnother: () => boolean },
): AppliedLimits {
  if (times === undefined) return limits;
  const firstToken = shorter(times.firstToken.limit, limits.firstToken);
  const total = shorter(times.total.limit, limits.total);
  const idle = shorter(times.idle.limit, limits.idle);
  const answer = (firstToken ?? total) !== undefined && hasAnother();
  if (idle === undefined && !answer) return limits;
  return {
    ...limits,
    ...(idle && { idle }),
    ...(answer && firstToken && { firstToken }),
    ...(answer && total && { total }),
  };
}

const shorter = (measured: TimeAllowed | undefined, set: TimeAllowed | undefined): TimeAllowed | undefined =>
  measured !== undefined && measured.ms < (set?.ms ?? Number.POSITIVE_INFINITY) ? measured : undefined;
