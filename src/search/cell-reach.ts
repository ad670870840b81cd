import type { Neighbours } from "./anchor-index.js";
import { type AnchorVectors, decodeRow } from "./anchor-vectors.js";
import { openCellBounds } from "./cell-bounds.js";
import type { Cells, Reach, ReachPoint } from "./cells.js";
import { createRanking } from "./ranking.js";
import { openKernel } from "./similarity.js";

/** Of each of two kinds. */
const QUERIES = 128;
/** Neighbours that are looked for: as many as a search always bears in mind. */
export const LEAST_NEIGHBOURS = 128;
/** Share of them to be found: with .995 it leads to the exact search's decision 98.9 times in a hundred over the shipped set, with this at least 99. */
const SHARE = 0.9965;
/** Anchors that have nothing to do with each other, between which a query is unlike any: of two it still finds both. */
const STRANGERS = 3;
/** What rounding needs where all anchors of a cell are alike. */
const LEAST_DEVIATIONS = 0.25;

/**
 * By how many deviations the nearest anchors exceed what is expected of their cells: the figure that covers `SHARE` of them,
 * once over queries near an anchor and once over queries in the middle of some that have nothing to do with each other. Measured,
 * because embedders and sets differ in how their vectors crowd.
 */
export function measureReach(
  vectors: AnchorVectors,
  { cellOf, means }: Pick<Cells, "cellOf" | "means">,
): Reach {
  const bounds = openCellBounds(means, vectors.dimensions);
  const kernel = openKernel(vectors);
  const ranking = createRanking(vectors.count);
  const nearestTo = (query: Float32Array): Neighbours => {
    kernel.load(query);
    return ranking.nearest(kernel.all(), LEAST_NEIGHBOURS);
  };
  const reachOf = (queries: readonly Float32Array[]): ReachPoint => {
    const highest: number[] = [];
    const needed: number[] = [];
    for (const query of queries) {
      const { anchors, similarities } = nearestTo(query);
      const bar = similarities.at(-1) ?? 0;
      highest.push(similarities[0] ?? 0);
      bounds.load(query);
      for (const anchor of anchors) {
        const cell = cellOf[anchor] as number;
        needed.push((bar - (bounds.expected[cell] as number)) / bounds.deviation(cell));
      }
    }
    return {
      similarity: quantile(highest, 0.5),
      deviations: Math.max(LEAST_DEVIATIONS, quantile(needed, SHARE)),
    };
  };
  const anchors = evenSample(vectors.count, QUERIES);
  const among = anchors.map((anchor, query) => {
    const near = nearestTo(decodeRow(vectors, anchor)).anchors;
    return middleOf(vectors, [anchor, near[4 + (query % 8)] ?? anchor]);
  });
  const apart = anchors.map((anchor, query) => {
    const step = Math.floor(vectors.count / STRANGERS) + query;
    return middleOf(
      vectors,
      Array.from({ length: STRANGERS }, (_, place) => (anchor + place * step) % vectors.count),
    );
  });
  return { among: reachOf(among), apart: reachOf(apart) };
}

/** Deviations to be read where the nearest anchor so far is so similar. */
export function deviationsAt(similarity: number, { among, apart }: Reach): number {
  const span = among.similarity - apart.similarity;
  if (span <= 0) return Math.max(among.deviations, apart.deviations);
  const share = Math.min(1, Math.max(0, (similarity - apart.similarity) / span));
  return share * among.deviations + (1 - share) * apart.deviations;
}

/** `count` numbers below `size`, evenly spaced; all when there are no more. */
function evenSample(size: number, count: number): number[] {
  const length = Math.min(size, count);
  return Array.from({ length }, (_, place) => Math.floor((place * size) / length));
}

function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(share * values.length) - 1] ?? 0;
}

/** The unit vector in the middle of some anchors. */
function middleOf(vectors: AnchorVectors, anchors: readonly number[]): Float32Array {
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
