import type { Neighbours } from "./anchor-index.js";
import { type AnchorVectors, decodeRow } from "./anchor-vectors.js";
import { createExactIndex } from "./exact-index.js";
import type { IvfLists, ProbeBound, ProbeBoundPoint } from "./ivf-lists.js";
import { openListBounds } from "./list-bounds.js";

/** Queries of each of the two kinds. */
const QUERIES = 128;
/** Minimum number of neighbours that every search looks for, and for which the bound is measured. */
export const LEAST_NEIGHBOURS = 128;
/**
 * Share of these neighbours that the bound covers. On the shipped set, .995 gave the exact search's decision in 98.9 %
 * of cases; this gives it in at least 99 %.
 */
const COVERED_SHARE = 0.9965;
/** Unrelated anchors whose mean is an out-of-distribution query. The mean of two would still be close to both. */
const UNRELATED_ANCHORS = 3;
/** Lower limit, for lists whose anchors are nearly identical: covers rounding. */
const LEAST_DEVIATIONS = 0.25;

/**
 * Measures by how many deviations the nearest anchors exceed the expected similarity of their lists: the quantile that
 * covers `COVERED_SHARE` of them, for queries near an anchor and for out-of-distribution queries. Measured for each
 * set, because embedders and sets cluster differently. Costs 384 exact searches.
 */
export function measureProbeBound(
  vectors: AnchorVectors,
  { listOf, centroids }: Pick<IvfLists, "listOf" | "centroids">,
): ProbeBound {
  const bounds = openListBounds(centroids, vectors.dimensions);
  const exact = createExactIndex(vectors);
  const nearestTo = (query: Float32Array): Neighbours => exact.search(query, LEAST_NEIGHBOURS);
  const measure = (queries: readonly Float32Array[]): ProbeBoundPoint => {
    const highest: number[] = [];
    const needed: number[] = [];
    for (const query of queries) {
      const { anchors, similarities } = nearestTo(query);
      const threshold = similarities.at(-1) ?? 0;
      highest.push(similarities[0] ?? 0);
      bounds.load(query);
      for (const anchor of anchors) {
        const list = listOf[anchor] as number;
        needed.push((threshold - (bounds.expected[list] as number)) / bounds.deviation(list));
      }
    }
    return {
      similarity: quantile(highest, 0.5),
      deviations: Math.max(LEAST_DEVIATIONS, quantile(needed, COVERED_SHARE)),
    };
  };
  const anchors = Array.from(evenSample(vectors.count, QUERIES));
  const inDistribution = anchors.map((anchor, query) => {
    const near = nearestTo(decodeRow(vectors, anchor)).anchors;
    return unitMean(vectors, [anchor, near[4 + (query % 8)] ?? anchor]);
  });
  const outOfDistribution = anchors.map((anchor, query) => {
    const step = Math.floor(vectors.count / UNRELATED_ANCHORS) + query;
    return unitMean(
      vectors,
      Array.from({ length: UNRELATED_ANCHORS }, (_, index) => (anchor + index * step) % vectors.count),
    );
  });
  return { inDistribution: measure(inDistribution), outOfDistribution: measure(outOfDistribution) };
}

/** The bound for a query whose nearest anchor so far has this similarity. */
export function deviationsAt(similarity: number, { inDistribution, outOfDistribution }: ProbeBound): number {
  const span = inDistribution.similarity - outOfDistribution.similarity;
  if (span <= 0) return Math.max(inDistribution.deviations, outOfDistribution.deviations);
  const share = Math.min(1, Math.max(0, (similarity - outOfDistribution.similarity) / span));
  return share * inDistribution.deviations + (1 - share) * outOfDistribution.deviations;
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;
}

/** The mean of some anchors, scaled to unit length. */
function unitMean(vectors: AnchorVectors, anchors: readonly number[]): Float32Array {
  const sum = new Float64Array(vectors.dimensions);
  for (const anchor of anchors) {
    const row = decodeRow(vectors, anchor);
    for (let d = 0; d < sum.length; d++) sum[d] = (sum[d] as number) + (row[d] as number);
  }
  let squares = 0;
  for (const value of sum) squares += value * value;
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  return Float32Array.from(sum, (value) => value * scale);
}

/** `count` numbers below `size`, evenly spaced and ascending; all of them when `size` is no larger. */
export function evenSample(size: number, count: number): Uint32Array {
  const length = Math.min(size, count);
  return Uint32Array.from({ length }, (_, index) => Math.floor((index * size) / length));
}
