/** One answer, and what was expected of its length. */
export interface LengthObservation {
  /** As decisions name it: a profiled model or a deployment. */
  readonly model: string;
  /** Tokens that the profiles alone expected, `max_tokens` included, > 0. */
  readonly expectedTokens: number;
  /** Tokens that the provider counted, hidden reasoning included, > 0. */
  readonly actualTokens: number;
}

export interface LengthCorrection {
  /** Factor on the expected length of an answer, from 1/20 to 20. */
  readonly ratio: number;
  /** Answers that it was learned from, > 0. */
  readonly answers: number;
}

/** By model id or deployment name. A model that is not in it has the ratio 1. */
export type CorrectionTable = ReadonlyMap<string, LengthCorrection>;
