import { createLinearModel, type LinearWeights } from "./linear-model.js";
import { createPromptFeatures } from "./prompt-features.js";

/** Values of the difficulty tiers that the model was trained on; estimates are on the same scale. */
export const DIFFICULTY_TIERS = { trivial: 0, easy: 1, medium: 2, hard: 3, expert: 4 } as const;

/** Of a linear model of difficulty and the features `createPromptFeatures(stems)`. Training and accuracy: docs/decisions/difficulty.md. */
export interface DifficultyWeights extends LinearWeights {
  /** Mean of vector · vectorWeights over what the model was trained on. */
  readonly vectorMean: number;
}

export interface DifficultyModel {
  /**
   * Estimates the difficulty of a prompt in [0, 4] (`DIFFICULTY_TIERS`) from its text and its vector by the embedder
   * that the model was trained with. Estimates are biased to the middle (law exams, half of them expert, average 2.1
   * when their source is left out of training): their order is more reliable than their value. With a zero vector only
   * the text is used. 8 µs for 50 tokens, 50 µs at most (median of 40,000 calls, Node 20).
   *
   * @throws RangeError for a vector of another length
   */
  estimate(text: string, vector: Float32Array): number;
}

const HARDEST = DIFFICULTY_TIERS.expert;

/** @throws RangeError when the weights are of other features than this version computes, or of another number of dimensions */
export function createDifficultyModel(weights: DifficultyWeights): DifficultyModel {
  const features = createPromptFeatures(weights.stems);
  const model = createLinearModel(weights, features.names);
  return {
    estimate(text, vector) {
      if (vector.length !== weights.dimensions)
        throw new RangeError(
          `a vector of ${vector.length} numbers for a difficulty model of ${weights.dimensions}; use the embedder that it ships with`,
        );
      // The zero vector carries no information.
      const ofVector = vector.some((value) => value !== 0) ? model.ofVector(vector) - weights.vectorMean : 0;
      return Math.min(HARDEST, Math.max(0, model.ofFeatures(features.of(text)) + ofVector));
    },
  };
}
