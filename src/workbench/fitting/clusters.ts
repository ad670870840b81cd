import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";

export interface VectorSource {
  readonly count: number;
  readonly dimensions: number;
  /** Writes the unit vector of a row into `into`, `[dimensions]`. */
  readonly read: (row: number, into: Float32Array) => void;
}

/** The stored vectors of a set as rows. */
export function vectorSource(vectors: AnchorVectors): VectorSource {
  return {
    count: vectors.count,
    dimensions: vectors.dimensions,
    read: (row, into) => {
      const start = row * vectors.dimensions;
      const scale = vectors.scales[row] as number;
      for (let d = 0; d < into.length; d++) into[d] = (vectors.codes[start + d] as number) * scale;
    },
  };
}

const ITERATIONS = 12;
const SAMPLE_ROWS = 8192;

interface ClusterOptions {
  readonly seed: number;
  /** At most as many as there are rows. */
  readonly clusters: number;
}

/** Spherical k-means over a sample of the rows: unit centroids, `[clusters × dimensions]`. Deterministic by the seed. */
export function clusterAnchors(source: VectorSource, { seed, clusters }: ClusterOptions): Float32Array {
  const random = seededRandom(seed);
  const rows = sampleWithoutReplacement(source.count, { count: SAMPLE_ROWS, random });
  const sample = new Float32Array(rows.length * source.dimensions);
  rows.forEach((row, index) => {
    source.read(row, sample.subarray(index * source.dimensions, (index + 1) * source.dimensions));
  });
  return sphericalKMeans(sample, { clusters, dimensions: source.dimensions, random });
}

interface KMeansOptions {
  readonly clusters: number;
  readonly dimensions: number;
  readonly random: () => number;
}

/** @param rows unit vectors, `[n × dimensions]`; returns unit centroids `[clusters × dimensions]` */
function sphericalKMeans(rows: Float32Array, { clusters, dimensions, random }: KMeansOptions): Float32Array {
  const count = rows.length / dimensions;
  const centroids = new Float32Array(clusters * dimensions);
  const seeds = sampleWithoutReplacement(count, { count: clusters, random });
  seeds.forEach((row, cluster) => {
    centroids.set(rows.subarray(row * dimensions, (row + 1) * dimensions), cluster * dimensions);
  });
  const best = new Float32Array(count);
  const owner = new Uint16Array(count);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    for (let row = 0; row < count; row++) {
      const nearest = nearestCentroid(rows.subarray(row * dimensions, (row + 1) * dimensions), centroids);
      owner[row] = nearest.cluster;
      best[row] = nearest.similarity;
    }
    moveCentroids({ rows, owner, best, centroids, dimensions });
  }
  return centroids;
}

/** The centroid of highest similarity, the first of equal ones. @param centroids `[clusters × dimensions]` */
export function nearestCentroid(
  vector: Float32Array,
  centroids: Float32Array,
): { cluster: number; similarity: number } {
  const dimensions = vector.length;
  let cluster = 0;
  let similarity = Number.NEGATIVE_INFINITY;
  for (let candidate = 0, base = 0; base < centroids.length; candidate++, base += dimensions) {
    const dot = dotAt(vector, centroids, base);
    if (dot > similarity) {
      similarity = dot;
      cluster = candidate;
    }
  }
  return { cluster, similarity };
}

/** Dot product of a vector with the row of a matrix that starts at `base`. */
function dotAt(vector: Float32Array, matrix: Float32Array, base: number): number {
  let a = 0;
  let b = 0;
  for (let d = 0; d < vector.length; d += 2) {
    a += (vector[d] as number) * (matrix[base + d] as number);
    b += (vector[d + 1] ?? 0) * (matrix[base + d + 1] ?? 0);
  }
  return a + b;
}

interface Assignment {
  readonly rows: Float32Array;
  readonly owner: Uint16Array;
  readonly best: Float32Array;
  readonly centroids: Float32Array;
  readonly dimensions: number;
}

/**
 * New centroids: the normalised sums of their rows; an empty cluster takes the row with the lowest similarity to its
 * centroid.
 */
function moveCentroids({ rows, owner, best, centroids, dimensions }: Assignment): void {
  const sums = new Float64Array(centroids.length);
  const sizes = new Uint32Array(centroids.length / dimensions);
  for (let row = 0; row < owner.length; row++) {
    const cluster = owner[row] as number;
    sizes[cluster] = (sizes[cluster] as number) + 1;
    for (let d = 0; d < dimensions; d++) {
      const offset = cluster * dimensions + d;
      sums[offset] = (sums[offset] as number) + (rows[row * dimensions + d] as number);
    }
  }
  for (let cluster = 0; cluster < sizes.length; cluster++) {
    const base = cluster * dimensions;
    if (sizes[cluster] === 0) {
      const worst = indexOfSmallest(best);
      best[worst] = Number.POSITIVE_INFINITY;
      centroids.set(rows.subarray(worst * dimensions, (worst + 1) * dimensions), base);
      continue;
    }
    let norm = 0;
    for (let d = 0; d < dimensions; d++) norm += (sums[base + d] as number) ** 2;
    const scale = norm > 0 ? 1 / Math.sqrt(norm) : 0;
    for (let d = 0; d < dimensions; d++) centroids[base + d] = (sums[base + d] as number) * scale;
  }
}

function indexOfSmallest(values: Float32Array): number {
  let smallest = 0;
  for (let index = 1; index < values.length; index++) {
    if ((values[index] as number) < (values[smallest] as number)) smallest = index;
  }
  return smallest;
}
