import { modelMeans, type PromptOutcomes } from "../outcomes/outcome-set.js";

/** Neighbours looked at, as most published kNN routers do. */
const NEIGHBOURS = 20;
/** τ: weight = exp((similarity − best similarity) / τ). */
const WIDTH = 0.1;
/** Of the model's mean. */
const PSEUDO_OBSERVATIONS = 4;

export interface VectorPair {
  /** Unit vectors of the training prompts, `[train × dimensions]`. */
  readonly train: readonly Float32Array[];
  readonly test: readonly Float32Array[];
}

/** Expected quality by exact search over the training prompts, `[test × models]`. */
export function predictByNearest(
  { models, quality, ...training }: PromptOutcomes,
  vectors: VectorPair,
): Float64Array {
  const means = modelMeans({ models, quality, ...training });
  const predicted = new Float64Array(vectors.test.length * models.length);
  for (const [position, vector] of vectors.test.entries()) {
    const similarities = Float32Array.from(vectors.train, (row) => dot(row, vector));
    const ascending = similarities.toSorted();
    const best = ascending.at(-1) ?? 0;
    const threshold = ascending[Math.max(0, ascending.length - NEIGHBOURS)] ?? -1;
    const sums = means.map((mean) => mean * PSEUDO_OBSERVATIONS);
    let total = PSEUDO_OBSERVATIONS;
    similarities.forEach((similarity, row) => {
      if (similarity < threshold) return;
      const weight = Math.exp((similarity - best) / WIDTH);
      total += weight;
      for (let model = 0; model < models.length; model++)
        sums[model] = (sums[model] ?? 0) + weight * (quality[row * models.length + model] ?? 0);
    });
    predicted.set(
      sums.map((sum) => sum / total),
      position * models.length,
    );
  }
  return predicted;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}
