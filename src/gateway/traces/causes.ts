/**
 * What went wrong, call by call: failed requests and, apart, those that a retry or a fallback rescued. A cause is a code with the
 * provider's HTTP status and its own words, in which ids and numbers do not count.
 */
import { groupBy } from "../../foundation/group-by.js";
import { NOT_CALLED } from "./trace.js";

export interface CauseSteps {
  /** Whole milliseconds since the epoch. */
  readonly originMs: number;
  /** Whole milliseconds, at least 1. */
  readonly stepMs: number;
}

/** A cause in one step. */
export interface CauseStep {
  /** Of the call; of a request that failed without a failed call, its error code. Empty where none is recorded. */
  readonly code: string;
  /** Null when none was called. */
  readonly provider: string | null;
  readonly model: string | null;
  /** HTTP status of the call; null without one. */
  readonly status: number | null;
  /** What was said, at most `PATTERN_CHARACTERS`, with `#` in place of every word that has a digit. Empty when nothing was. */
  readonly pattern: string;
  /** Counted from the origin; -1 for all the time before it. */
  readonly step: number;
  /** Requests that failed, and requests that were answered all the same. */
  readonly failed: number;
  readonly rescued: number;
  /** Of both, those whose last call was to another model. */
  readonly elsewhere: number;
  /** Arrivals, in milliseconds since the epoch. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the last request that failed; null when none did, or none is recorded. */
  readonly errorCode: string | null;
  /** The last of the requests, and what was said in it; of several that arrived in the same millisecond, any. */
  readonly last: { readonly requestId: string; readonly message: string | null };
}

/** Rows of one answer, at most: those with most requests. */
export const MOST_CAUSE_STEPS = 20_000;
export const PATTERN_CHARACTERS = 200;

/** Text in a string of JSON. Both stores have RE2. */
const TEXT = String.raw`(?:[^"\\]|\\.)*`;

/** How attempts are written: members in the order of `Attempt`. The message is absent in those of earlier versions. */
const HEAD = String.raw`\{"provider":"${TEXT}","model":"${TEXT}","status":(?:null|[0-9]+),"code":"${TEXT}"`;

/** Patterns for what `JSON.stringify` wrote of attempts: one whole attempt up to its message, and parts of one. */
export const ATTEMPT_PATTERNS = {
  attempt: `${HEAD}(?:,"message":(?:null|"${TEXT}"))?`,
  provider: String.raw`^\{"provider":"(${TEXT})"`,
  model: String.raw`^\{"provider":"${TEXT}","model":"(${TEXT})"`,
  status: `","status":(null|[0-9]+),"code":"`,
  code: `,"status":(?:null|[0-9]+),"code":"(${TEXT})"`,
  message: `,"message":"(${TEXT})"$`,
  /** No fault of the call. */
  notFailed: `,"code":"(?:${["ok", ...NOT_CALLED].join("|")})"`,
  /** Ids, numbers, versions, addresses. */
  varying: "[A-Za-z0-9_-]*[0-9][A-Za-z0-9_.:-]*",
} as const;

/** The same cause over a time. */
export interface Cause extends Omit<CauseStep, "step" | "pattern"> {
  /** Failed and rescued requests of the time before. */
  readonly failedBefore: number;
  readonly rescuedBefore: number;
  /** Failed and rescued ones together, step by step. */
  readonly series: readonly number[];
}

/**
 * Causes that occurred in the steps from 0 on, the one with most failed requests first; equally frequent ones by the last arrival.
 *
 * @param count of the steps; those below 0 are the time before
 */
export function causesOf(steps: readonly CauseStep[], count: number): readonly Cause[] {
  const groups = groupBy(steps, ({ code, provider, model, status, pattern }) =>
    JSON.stringify([code, provider, model, status, pattern]),
  );
  return [...groups.values()]
    .flatMap((group) => causeOf(group, count) ?? [])
    .sort(
      (left, right) =>
        right.failed - left.failed || right.rescued - left.rescued || right.lastMs - left.lastMs,
    );
}

function causeOf(group: readonly CauseStep[], count: number): Cause | undefined {
  const now = group.filter(({ step }) => step >= 0);
  const before = group.filter(({ step }) => step < 0);
  const [first] = now;
  if (first === undefined) return undefined;
  const newest = now.reduce((left, right) => (right.lastMs > left.lastMs ? right : left));
  const newestFailed = now
    .filter(({ errorCode }) => errorCode !== null)
    .reduce<CauseStep | undefined>(
      (left, right) => (left === undefined || right.lastMs > left.lastMs ? right : left),
      undefined,
    );
  const sum = (rows: readonly CauseStep[], figure: "failed" | "rescued" | "elsewhere"): number =>
    rows.reduce((total, row) => total + row[figure], 0);
  const series = new Array<number>(count).fill(0);
  for (const { step, failed, rescued } of now) series[step] = (series[step] ?? 0) + failed + rescued;
  const { code, provider, model, status } = first;
  return {
    ...{ code, provider, model, status, last: newest.last },
    errorCode: newestFailed?.errorCode ?? null,
    ...{ failed: sum(now, "failed"), rescued: sum(now, "rescued"), elsewhere: sum(now, "elsewhere") },
    ...{ failedBefore: sum(before, "failed"), rescuedBefore: sum(before, "rescued") },
    firstMs: Math.min(...now.map(({ firstMs }) => firstMs)),
    lastMs: newest.lastMs,
    series,
  };
}
