/**
 * What went wrong, call by call: failed requests and, apart, those that a retry or a fallback rescued. A cause is a code with the
 * provider's HTTP status and its own words, in which ids and numbers do not count.
 */
import { NOT_CALLED } from "./trace.js";

/** A period as steps of equal length; what comes before it is counted beside them. */
export interface CauseSteps {
  /** Beginning of the period, in whole milliseconds since the epoch. */
  readonly originMs: number;
  /** Whole milliseconds, at least 1. */
  readonly stepMs: number;
  /** How many there are. */
  readonly steps: number;
}

/** What went wrong in the period, in one way. */
export interface Cause {
  /** Of the call; of a request that failed without a failed call, its error code. Empty where none is recorded. */
  readonly code: string;
  /** Null when none was called. */
  readonly provider: string | null;
  readonly model: string | null;
  /** HTTP status of the call; null without one. */
  readonly status: number | null;
  /** Requests that failed, and requests that were answered all the same. */
  readonly failed: number;
  readonly rescued: number;
  /** Of both, those whose last call was to another model. */
  readonly elsewhere: number;
  /** Failed and rescued requests of the time before. */
  readonly failedBefore: number;
  readonly rescuedBefore: number;
  /** Failed and rescued ones together, step by step. */
  readonly series: readonly number[];
  /** Arrivals, in milliseconds since the epoch. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of the last request that failed; null when none did, or none is recorded. */
  readonly errorCode: string | null;
  /** The last of the requests, and what was said in it; of several that arrived in the same millisecond, any. */
  readonly last: { readonly requestId: string; readonly message: string | null };
}

/** Causes of one answer, at most. */
export const MOST_FOUND_CAUSES = 5000;
/** Of what was said, with `#` in place of every word that has a digit, by which causes are told apart. */
export const PATTERN_CHARACTERS = 200;

/** Text in a string of JSON. Both stores have RE2. */
const TEXT = String.raw`(?:[^"\\]|\\.)*`;

/** How attempts are written: members in the order of `Attempt`. */
const HEAD = String.raw`\{"provider":"${TEXT}","model":"${TEXT}","status":(?:null|[0-9]+),"code":"${TEXT}"`;

/** Patterns for what `JSON.stringify` wrote of attempts: one whole attempt up to its message, and parts of one. */
export const ATTEMPT_PATTERNS = {
  attempt: `${HEAD},"message":(?:null|"${TEXT}")`,
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
