import type { Attempt } from "./trace.js";

/** Failed requests with the same error code, provider and model. */
export interface Failures {
  /** Null where none is recorded. */
  readonly errorCode: string | null;
  /** Provider and model that were tried last; null when none was. */
  readonly provider: string | null;
  readonly model: string | null;
  readonly requests: number;
  /** Arrival of the first and of the last of them, in milliseconds since the epoch. */
  readonly firstMs: number;
  readonly lastMs: number;
  /** The last of them; of several that arrived in the same millisecond, any. */
  readonly last: FailedRequest;
}

interface FailedRequest {
  readonly requestId: string;
  /** Of the error; null where none is recorded. */
  readonly message: string | null;
  readonly attempts: readonly Attempt[];
}

/** The last failed request of who asked. */
export interface LastFailure {
  readonly principal: string;
  readonly requestId: string;
  /** Arrival, in milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Null where none is recorded. */
  readonly errorCode: string | null;
}

export interface LastFailuresQuestion {
  /** Ids of keys, or subjects of tokens. */
  readonly principals: readonly string[];
  /** Whole milliseconds since the epoch, inclusive: the earliest arrival. */
  readonly startMs: number;
}

/** Groups of one answer, at most. */
export const MOST_FAILURES = 1000;
