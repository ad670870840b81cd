import type { PromptOutcomes } from "../outcomes/outcome-set.js";
import { modelMeans } from "../outcomes/outcome-set.js";

export interface KernelOptions {
  /** Neighbours looked at. */
  readonly neighbours: number;
  /** τ: weight = exp((similarity − best similarity) / τ). */
  readonly width: number;
  /** Pseudo-observations of the model's mean. */
  readonly pseudoObservations: number;
}

/** The reference the shipped path is held to. */
export const WIDE_KERNEL: KernelOptions = { neighbours: 400, width: 0.2, pseudoObservations: 4 };
/** What most published kNN routers do. */
export const NARROW_KERNEL: KernelOptions = { neighbours: 20, width: 0.1, pseudoObservations: 4 };

export interface VectorPair {
  /** Unit vectors of the training prompts, `[train × dimensions]`. */
  readonly train: readonly Float32Array[];
  readonly test: readonly Float32Array[];
}

/** Expected quality by exact search over the training prompts, one `[test × models]` per kernel. */
export function predictByKernels(
  training: PromptOutcomes,
  vectors: VectorPair,
  kernels: readonly KernelOptions[],
): Float64Array[] {
  const means = modelMeans(training);
  const width = training.models.length;
  const predicted = kernels.map(() => new Float64Array(vectors.test.length * width));
  const matrix = stack(vectors.train);
  for (const [position, vector] of vectors.test.entries()) {
    const similarities = similaritiesTo(vector, matrix);
    const ascending = similarities.toSorted();
    for (const [index, kernel] of kernels.entries()) {
      const weights = kernelWeights(similarities, { ...kernel, ascending });
      predicted[index]?.set(weightedMeans(training, weights, { means, ...kernel }), position * width);
    }
  }
  return predicted;
}

function stack(rows: readonly Float32Array[]): Float32Array {
  const dimensions = rows[0]?.length ?? 0;
  const matrix = new Float32Array(rows.length * dimensions);
  for (const [index, row] of rows.entries()) matrix.set(row, index * dimensions);
  return matrix;
}

/** Dot products of a vector with all rows of a matrix; four sums at once keep the processor busy. */
function similaritiesTo(vector: Float32Array, matrix: Float32Array): Float32Array {
  const dimensions = vector.length;
  const similarities = new Float32Array(matrix.length / dimensions);
  for (let row = 0; row < similarities.length; row++) {
    const start = row * dimensions;
    let [a, b, c, e] = [0, 0, 0, 0];
    for (let d = 0; d < dimensions; d += 4) {
      a += (vector[d] ?? 0) * (matrix[start + d] ?? 0);
      b += (vector[d + 1] ?? 0) * (matrix[start + d + 1] ?? 0);
      c += (vector[d + 2] ?? 0) * (matrix[start + d + 2] ?? 0);
      e += (vector[d + 3] ?? 0) * (matrix[start + d + 3] ?? 0);
    }
    similarities[row] = a + b + c + e;
  }
  return similarities;
}

interface WeightedRow {
  readonly row: number;
  readonly weight: number;
}

function kernelWeights(
  similarities: Float32Array,
  { neighbours, width, ascending }: KernelOptions & { readonly ascending: Float32Array },
): WeightedRow[] {
  const best = ascending.at(-1) ?? 0;
  const threshold = ascending[Math.max(0, ascending.length - neighbours)] ?? -1;
  const rows: WeightedRow[] = [];
  for (let row = 0; row < similarities.length; row++) {
    const similarity = similarities[row] ?? -1;
    if (similarity >= threshold) rows.push({ row, weight: Math.exp((similarity - best) / width) });
  }
  return rows;
}

function weightedMeans(
  { models, quality }: PromptOutcomes,
  rows: readonly WeightedRow[],
  { means, pseudoObservations }: KernelOptions & { readonly means: Float64Array },
): Float64Array {
  const sums = means.map((mean) => mean * pseudoObservations);
  let total = pseudoObservations;
  for (const { row, weight } of rows) {
    total += weight;
    for (let model = 0; model < models.length; model++) {
      sums[model] = (sums[model] ?? 0) + weight * (quality[row * models.length + model] ?? 0);
    }
  }
  return sums.map((sum) => sum / total);
}
