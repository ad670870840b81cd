import { type AnchorVectors, allocateAnchorVectors } from "./anchor-vectors.js";
import type { IvfLists } from "./ivf-lists.js";
import { openKernel } from "./similarity.js";

/**
 * Estimates the similarity of each list's anchors to a query: the mean, and a standard deviation from the spread of the
 * list's anchors and the angle between query and centroid:
 *
 * `expected = query · centroid`, `deviation = √(1 − |centroid|²) · √(1 − cos²(query, centroid))`.
 */
export interface ListBounds {
  /** Number of lists. */
  readonly lists: number;
  /** Compares the query, of unit length or all zeros, with the centroids. */
  load(query: Float32Array): void;
  /** `[lists]`; overwritten by the next `load`. */
  readonly expected: Float32Array;
  deviation(list: number): number;
}

/** Smallest variance: rounding makes even copies of one vector differ by about a hundredth. */
const LEAST_VARIANCE = 1e-4;

export function openListBounds(centroids: IvfLists["centroids"], dimensions: number): ListBounds {
  const vectors = allocateAnchorVectors(centroids.scales.length, dimensions);
  vectors.codes.set(centroids.codes);
  vectors.scales.set(centroids.scales);
  const kernel = openKernel(vectors);
  const expected = new Float32Array(vectors.count);
  const squaredLengths = Float64Array.from({ length: vectors.count }, (_, list) =>
    squaredLengthOf(vectors, list),
  );
  return {
    lists: vectors.count,
    expected,
    load(query) {
      kernel.load(query);
      expected.set(kernel.all().similarities);
    },
    deviation(list) {
      const squared = squaredLengths[list] as number;
      const product = expected[list] as number;
      const sineSquared = squared > 0 ? 1 - (product * product) / squared : 1;
      return Math.sqrt(Math.max(LEAST_VARIANCE, (1 - squared) * sineSquared));
    },
  };
}

function squaredLengthOf({ codes, scales, dimensions }: AnchorVectors, row: number): number {
  let sum = 0;
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) sum += (codes[at] as number) ** 2;
  return sum * (scales[row] as number) ** 2;
}
