import type { WordStems } from "./word-stems.js";

/** Weights of a linear model of the features of a text and of its vector. */
export interface LinearWeights {
  /** Length of a vector. */
  readonly dimensions: number;
  readonly bias: number;
  /** Standardised features are clipped to ± this value. */
  readonly clip: number;
  /** One per feature, in the order of the features. `deviation` is above 0. */
  readonly features: readonly {
    readonly name: string;
    readonly mean: number;
    readonly deviation: number;
    readonly weight: number;
  }[];
  /** `[dimensions]` */
  readonly vectorWeights: readonly number[];
  readonly stems: WordStems;
}

export interface LinearModel {
  /** Bias and features, one value per name. */
  ofFeatures(values: Float64Array): number;
  /** `vector` has as many numbers as the weights have dimensions. */
  ofVector(vector: Float32Array): number;
}

/**
 * @param names of the features that this version computes, in order
 * @throws RangeError when the weights are of other features, or of another number of dimensions
 */
export function createLinearModel(weights: LinearWeights, names: readonly string[]): LinearModel {
  const { bias, clip, dimensions, features } = weights;
  const length = Math.max(names.length, features.length);
  for (let at = 0; at < length; at++) {
    const [found, expected] = [features[at]?.name, names[at]];
    if (found === expected) continue;
    throw new RangeError(
      `feature ${at} is ${found ?? "missing"} where ${expected ?? "none"} is expected; the model is of another version`,
    );
  }
  if (weights.vectorWeights.length !== dimensions)
    throw new RangeError(
      `${weights.vectorWeights.length} vector weights for ${dimensions} dimensions; there must be one for each`,
    );
  const means = Float64Array.from(features, ({ mean }) => mean);
  const scales = Float64Array.from(features, ({ deviation }) => 1 / deviation);
  const slopes = Float64Array.from(features, ({ weight }) => weight);
  const vectorWeights = Float64Array.from(weights.vectorWeights);
  return {
    ofFeatures(values) {
      let sum = bias;
      for (let at = 0; at < slopes.length; at++) {
        const standard = ((values[at] as number) - (means[at] as number)) * (scales[at] as number);
        sum += (slopes[at] as number) * Math.min(clip, Math.max(-clip, standard));
      }
      return sum;
    },
    ofVector(vector) {
      let sum = 0;
      for (let at = 0; at < vectorWeights.length; at++)
        sum += (vectorWeights[at] as number) * (vector[at] as number);
      return sum;
    },
  };
}
