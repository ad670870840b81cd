import type { Basis } from "./basis.js";
import type { PublishedSource } from "./model-profile.js";

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
  readonly expected_error: number;
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
