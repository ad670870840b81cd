import { createPromptFeatures } from "./prompt-features.js";
import type { WordStems } from "./word-stems.js";

/** Values of the difficulty tiers that the model was trained on; estimates are on the same scale. */
export const DIFFICULTY_TIERS = { trivial: 0, easy: 1, medium: 2, hard: 3, expert: 4 } as const;

/** Weights of a linear model of difficulty. Training and accuracy: docs/decisions/0015-difficulty.md. */
export interface DifficultyWeights {
  /** Length of a vector. */
  readonly dimensions: number;
  readonly bias: number;
  /** Standardised features are clipped to ± this value. */
  readonly clip: number;
  /** One per feature of `createPromptFeatures(stems)`, in that order. `deviation` is above 0. */
  readonly features: readonly {
    readonly name: string;
    readonly mean: number;
    readonly deviation: number;
    readonly weight: number;
  }[];
  /** `[dimensions]` */
  readonly vectorWeights: readonly number[];
  /** Mean of vector · vectorWeights over what the model was trained on. */
  readonly vectorMean: number;
  readonly stems: WordStems;
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
  checkFeatures(weights, features.names);
  const vectorWeights = Float64Array.from(weights.vectorWeights);
  return {
    estimate(text, vector) {
      if (vector.length !== weights.dimensions)
        throw new RangeError(
          `a vector of ${vector.length} numbers for a difficulty model of ${weights.dimensions}; use the embedder that it ships with`,
        );
      const values = features.of(text);
      const estimate =
        weights.bias + surfaceSum(values, weights) + vectorSum(vector, { vectorWeights, weights });
      return Math.min(HARDEST, Math.max(0, estimate));
    },
  };
}

function checkFeatures(weights: DifficultyWeights, names: readonly string[]): void {
  const found = weights.features.map(({ name }) => name);
  const wrong = names.findIndex((name, at) => name !== found[at]);
  if (wrong >= 0 || found.length !== names.length) {
    const at = wrong >= 0 ? wrong : names.length;
    throw new RangeError(
      `feature ${at} is ${found[at] ?? "missing"} where ${names[at] ?? "none"} is expected; the model is of another version`,
    );
  }
  if (weights.vectorWeights.length !== weights.dimensions)
    throw new RangeError(
      `${weights.vectorWeights.length} vector weights for ${weights.dimensions} dimensions; there must be one for each`,
    );
}

function surfaceSum(values: Float64Array, { features, clip }: DifficultyWeights): number {
  let sum = 0;
  for (let at = 0; at < features.length; at++) {
    const { mean, deviation, weight } = features[at] as DifficultyWeights["features"][number];
    const standard = ((values[at] as number) - mean) / deviation;
    sum += weight * Math.min(clip, Math.max(-clip, standard));
  }
  return sum;
}

/** The vector's contribution; 0 for the zero vector, which carries no information. */
function vectorSum(
  vector: Float32Array,
  { vectorWeights, weights }: { readonly vectorWeights: Float64Array; readonly weights: DifficultyWeights },
): number {
  let sum = 0;
  let isZero = true;
  for (let at = 0; at < vector.length; at++) {
    const value = vector[at] as number;
    if (value !== 0) isZero = false;
    sum += value * (vectorWeights[at] as number);
  }
  return isZero ? 0 : sum - weights.vectorMean;
}
