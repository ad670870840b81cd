import type { Basis } from "./basis.js";

/** A published score that placed a model; the figure stays with its publisher. */
export interface PublishedSource {
  readonly benchmark: string;
  readonly source: string;
  /** ISO 8601 date; null when the source gives none. */
  readonly date: string | null;
}

/** What `GET /v1/router/profiles` and `sextant profile inspect` say of one model's profile. */
export interface ProfileSummary {
  readonly model: string;
  /** Graded answers, published scores, or both. */
  readonly basis: Basis;
  /** Anchors the model was scored on. */
  readonly samples: number;
  /** Over the prompts it was scored on, easy or hard as they are; 0 without samples. Compares nothing between models. */
  readonly mean_quality: number;
  /** Over all topics of the set, the difficulty of prompts taken out, in [0, 1]: comparable between models. */
  readonly expected_quality: number;
  /** Standard error of `expected_quality`. */
  readonly quality_stderr: number;
  /** Mean cost of a profiled request at today's catalog price, or as measured; null when neither is known. */
  readonly mean_cost_usd: number | null;
  /** Anchors per benchmark. */
  readonly benchmarks: Readonly<Record<string, number>>;
  /** Published scores that it was placed by. */
  readonly published: readonly PublishedSource[];
  readonly embedder: string;
  /** ISO 8601, UTC. */
  readonly built_at: string;
  readonly version: string;
}
