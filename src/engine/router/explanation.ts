import type { Decision } from "./decision.js";

/** A decision with the evidence behind it, for a person. */
export interface Explanation {
  readonly decision: Decision;
  /**
   * The chosen model at each cost weight: each entry applies from its weight to the next one's, from 0. Without prices
   * only the first.
   */
  readonly choices: readonly Choice[];
  /** The nearest profiled prompts, nearest first. */
  readonly nearest: readonly NearestAnchor[];
}

export interface Choice {
  /** The first of a hundred steps from 0 to 1 at which the model is chosen. */
  readonly fromCostWeight: number;
  readonly model: string;
  readonly expectedQuality: number;
  readonly expectedCostUsd: number | null;
}

export interface NearestAnchor {
  /** Where the prompt is from. */
  readonly benchmark: string;
  /** Cosine similarity. */
  readonly similarity: number;
  /** Expected quality of the average model on it, 0 to 1. */
  readonly ease: number;
  /** Quality of the models that were scored on it, 0 to 1. */
  readonly scores: ReadonlyMap<string, number>;
}

/** Mean score of a model on one benchmark. */
export interface BenchmarkScore {
  readonly benchmark: string;
  readonly samples: number;
  /** 0 to 1. */
  readonly meanQuality: number;
}

/** By model id; each by benchmark. */
export type BenchmarkScores = ReadonlyMap<string, readonly BenchmarkScore[]>;
