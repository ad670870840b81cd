import { seededRandom } from "../../../src/foundation/random.js";
import { modelMeans, type PromptOutcomes } from "../outcomes/outcome-set.js";
import type { VectorPair } from "./exact-kernel.js";

/** Clusters, as published for Avengers; fewer where there would be less than this many prompts in each. */
const CLUSTERS = 64;
const LEAST_PROMPTS = 16;
const ROUNDS = 15;

/**
 * "Avengers" (arXiv 2505.19797): K-means over the training prompts with each model's plain mean per cluster; the
 * expectation for a prompt is that of its nearest cluster. `[test × models]`; an empty cluster has the model's overall
 * mean.
 */
export function predictByClusters(
  training: PromptOutcomes,
  vectors: VectorPair,
  { seed }: { readonly seed: number },
): Float64Array {
  const count = Math.max(1, Math.min(CLUSTERS, Math.floor(vectors.train.length / LEAST_PROMPTS)));
  const centroids = kMeans(vectors.train, { count, random: seededRandom(seed) });
  const scores = scoreClusters(training, vectors.train, centroids);
  const width = training.models.length;
  const predicted = new Float64Array(vectors.test.length * width);
  vectors.test.forEach((vector, index) => {
    const nearest = nearestOf(vector, centroids);
    predicted.set(scores.subarray(nearest * width, (nearest + 1) * width), index * width);
  });
  return predicted;
}

function scoreClusters(
  training: PromptOutcomes,
  vectors: readonly Float32Array[],
  centroids: readonly Float32Array[],
): Float64Array {
  const means = modelMeans(training);
  const width = means.length;
  const sums = new Float64Array(centroids.length * width);
  const sizes = new Uint32Array(centroids.length);
  vectors.forEach((vector, row) => {
    const cluster = nearestOf(vector, centroids);
    sizes[cluster] = (sizes[cluster] ?? 0) + 1;
    for (let model = 0; model < width; model++) {
      sums[cluster * width + model] =
        (sums[cluster * width + model] ?? 0) + (training.quality[row * width + model] ?? 0);
    }
  });
  return sums.map((sum, cell) => {
    const size = sizes[Math.floor(cell / width)] ?? 0;
    return size === 0 ? (means[cell % width] ?? 0) : sum / size;
  });
}

/** Lloyd's algorithm from k-means++ seeds, on unit vectors: Euclidean and cosine distance order them alike. */
function kMeans(
  vectors: readonly Float32Array[],
  { count, random }: { readonly count: number; readonly random: () => number },
): Float32Array[] {
  let centroids = seedCentroids(vectors, { count, random });
  for (let round = 0; round < ROUNDS; round++) {
    const sums = centroids.map((centroid) => new Float32Array(centroid.length));
    for (const vector of vectors) {
      const sum = sums[nearestOf(vector, centroids)] as Float32Array;
      for (let d = 0; d < vector.length; d++) sum[d] = (sum[d] as number) + (vector[d] as number);
    }
    centroids = sums.map((sum, cluster) => unit(sum) ?? (centroids[cluster] as Float32Array));
  }
  return centroids;
}

function seedCentroids(
  vectors: readonly Float32Array[],
  { count, random }: { readonly count: number; readonly random: () => number },
): Float32Array[] {
  const first = vectors[Math.floor(random() * vectors.length)];
  if (first === undefined) return [];
  const centroids = [first];
  const distances = vectors.map((vector) => Math.max(0, 1 - dot(vector, first)));
  while (centroids.length < count) {
    const centroid = vectors[drawByWeight(distances, random)] as Float32Array;
    centroids.push(centroid);
    vectors.forEach((vector, index) => {
      distances[index] = Math.min(distances[index] as number, Math.max(0, 1 - dot(vector, centroid)));
    });
  }
  return centroids;
}

/** An index with probability proportional to its weight; uniform when all weights are 0. */
function drawByWeight(weights: readonly number[], random: () => number): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = random() * total;
  for (let index = 0; index < weights.length; index++) {
    left -= weights[index] as number;
    if (left < 0) return index;
  }
  return Math.floor(random() * weights.length);
}

function nearestOf(vector: Float32Array, centroids: readonly Float32Array[]): number {
  let nearest = 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let cluster = 0; cluster < centroids.length; cluster++) {
    const similarity = dot(vector, centroids[cluster] as Float32Array);
    if (similarity > best) {
      best = similarity;
      nearest = cluster;
    }
  }
  return nearest;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let d = 0; d < a.length; d++) sum += (a[d] as number) * (b[d] as number);
  return sum;
}

function unit(vector: Float32Array): Float32Array | null {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 ? null : vector.map((value) => value / length);
}
