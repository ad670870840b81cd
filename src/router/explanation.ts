import type { Decision } from "./decision.js";

/** A decision and what lies behind it, for a person who wants to see why. */
export interface Explanation {
  readonly decision: Decision;
  /**
   * What would be chosen at each cost weight: each entry from its weight up to the next one's, by weight, from 0. Without
   * prices only the first.
   */
  readonly choices: readonly Choice[];
  /** The profiled prompts that are most like this one, nearest first. */
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
  /** Expected quality of a middling model on it, 0 to 1. */
  readonly ease: number;
  /** Quality of the models that were scored on it, 0 to 1. */
  readonly scores: ReadonlyMap<string, number>;
}

/** How a model did on the prompts of one benchmark. */
export interface BenchmarkScore {
  readonly benchmark: string;
  readonly samples: number;
  /** 0 to 1. */
  readonly meanQuality: number;
}

/** By model id; each by benchmark. */
export type BenchmarkScores = ReadonlyMap<string, readonly BenchmarkScore[]>;
