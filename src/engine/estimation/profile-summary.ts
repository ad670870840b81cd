import type { Basis } from "./basis.js";

/** A published score used to place a model; the value itself is not repeated. */
export interface PublishedSource {
  readonly benchmark: string;
  readonly source: string;
  /** ISO 8601 date; null when the source gives none. */
  readonly date: string | null;
}

/** The summary of one model's profile in `GET /v1/router/profiles` and `sextant profile inspect`. */
export interface ProfileSummary {
  readonly model: string;
  /** Graded answers, published scores, or both. */
  readonly basis: Basis;
  /** Anchors the model was scored on. */
  readonly samples: number;
  /**
   * Mean over the prompts that the model was scored on; 0 without samples. Not comparable between models, whose prompts
   * differ in difficulty.
   */
  readonly mean_quality: number;
  /** Mean over all topics of the set in [0, 1], adjusted for the difficulty of the prompts: comparable between models. */
  readonly expected_quality: number;
  /** Standard error of `expected_quality`. */
  readonly quality_stderr: number;
  /** Mean cost of a profiled request at today's catalog price, or as measured; null when neither is known. */
  readonly mean_cost_usd: number | null;
  /** Anchors per benchmark. */
  readonly benchmarks: Readonly<Record<string, number>>;
  /** Published scores that the model was placed by. */
  readonly published: readonly PublishedSource[];
  /** The release before it, which its expectation is held up to where its own evidence does not show otherwise; else null. */
  readonly predecessor: string | null;
  /** For a model at an effort: another effort of the model that is no worse and costs no more, so that this one is never chosen; else null. */
  readonly dominated_by: string | null;
  readonly embedder: string;
  /** ISO 8601, UTC. */
  readonly built_at: string;
  readonly version: string;
}
