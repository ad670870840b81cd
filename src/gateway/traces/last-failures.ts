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
