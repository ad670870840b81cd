import { type BatchClock, runCooperatively } from "../../foundation/cooperative-batches.js";
import type { AnchorIndex, Neighbours } from "./anchor-index.js";
import { type AnchorVectors, allocateAnchorVectors, decodeRow, type VectorCodes } from "./anchor-vectors.js";
import type { IvfLists } from "./ivf-lists.js";
import { openListBounds } from "./list-bounds.js";
import { deviationsAt, LEAST_NEIGHBOURS } from "./probe-bound.js";
import { orderByBound } from "./probe-order.js";
import { createRanking, type Shortlist } from "./ranking.js";
import { openKernel, type ScannedSimilarities } from "./similarity.js";
import { createTopKThreshold } from "./top-k-threshold.js";
import { PEAK_BLOCK } from "./vector-memory.js";

/** Rows copied between two looks at the clock: some 10 µs. */
const ROWS_A_STEP = 32;

/**
 * Scans the lists in descending order of their probe bounds, skipping those whose bound is below the k-th highest
 * similarity found so far: it reads a twelfth of 25,000 anchors for an in-distribution query, a quarter for an
 * out-of-distribution one. Uses the kernel of the exact index, so that both return the same similarity for an anchor.
 * Keeps a copy of the codes, ordered by list, which is made in steps between which other work of the thread runs.
 *
 * Always searches for at least `LEAST_NEIGHBOURS`, because a search for fewer would miss some of the nearest.
 */
export async function createIvfIndex(
  vectors: VectorCodes,
  lists: IvfLists,
  { clock }: { readonly clock?: BatchClock } = {},
): Promise<AnchorIndex> {
  const rows = await orderByList(vectors, lists, clock);
  const kernel = openKernel(rows.vectors);
  const bounds = openListBounds(lists.centroids, vectors.dimensions);
  const threshold = createTopKThreshold();
  const ranking = createRanking(vectors.count);
  const { inDistribution, outOfDistribution } = lists.probeBound;
  /** Orders the lists before the nearest anchor is known; the order does not need an exact bound. */
  const middleDeviations = (inDistribution.deviations + outOfDistribution.deviations) / 2;
  const sortKeys = new Float32Array(bounds.lists);
  const deviations = new Float32Array(bounds.lists);
  const order = new Uint32Array(bounds.lists);
  const shortlist = {
    anchors: new Uint32Array(vectors.count),
    similarities: new Float32Array(vectors.count),
    count: 0,
  };

  const loadQuery = (vector: Float32Array): void => {
    bounds.load(vector);
    kernel.load(vector);
    for (let list = 0; list < sortKeys.length; list++) {
      const deviation = bounds.deviation(list);
      deviations[list] = deviation;
      sortKeys[list] = (bounds.expected[list] as number) + middleDeviations * deviation;
    }
    orderByBound(sortKeys, order);
  };

  const mayHoldNear = (list: number): boolean => {
    const bound = deviationsAt(threshold.highest, lists.probeBound);
    return (bounds.expected[list] as number) + bound * (deviations[list] as number) >= threshold.value;
  };

  /** Adds the anchors of a scanned list that reach the threshold to the shortlist. */
  const collect = ({ similarities, peaks }: ScannedSimilarities, list: number): void => {
    const start = rows.starts[list] as number;
    const end = start + (rows.sizes[list] as number);
    const lowest = threshold.value;
    const peakCount = 4 * Math.ceil((end - start) / PEAK_BLOCK);
    for (let peak = 0; peak < peakCount; peak++) {
      if ((peaks[peak] as number) < lowest) continue;
      const first = start + PEAK_BLOCK * (peak >> 2) + (peak & 3);
      const last = Math.min(end, first + PEAK_BLOCK);
      for (let row = first; row < last; row += 4) {
        const similarity = similarities[row] as number;
        if (similarity < lowest) continue;
        shortlist.anchors[shortlist.count] = rows.anchorOf[row] as number;
        shortlist.similarities[shortlist.count++] = similarity;
        threshold.add(similarity);
      }
    }
  };

  return {
    kind: "ivf",
    size: vectors.count,
    dimensions: vectors.dimensions,
    search(vector, k): Neighbours {
      loadQuery(vector);
      threshold.reset(Math.max(k, LEAST_NEIGHBOURS));
      shortlist.count = 0;
      for (let index = 0; index < order.length; index++) {
        const list = order[index] as number;
        const size = rows.sizes[list] as number;
        if (size === 0 || !mayHoldNear(list)) continue;
        collect(kernel.some(rows.starts[list] as number, size), list);
      }
      dropBelow(shortlist, threshold.value);
      return ranking.nearestOf(shortlist, k);
    },
    vectorOf: (anchor) => decodeRow(rows.vectors, rows.rowOf[anchor] as number),
  };
}

interface ListRows {
  /** The rows of list after list, each list padded with rows of zeros to a multiple of 4. */
  readonly vectors: AnchorVectors;
  /** First row of each list, and its rows without padding. */
  readonly starts: Uint32Array;
  readonly sizes: Uint32Array;
  /** Anchor number of a row; 0 for padding. */
  readonly anchorOf: Uint32Array;
  /** Row of an anchor. */
  readonly rowOf: Uint32Array;
}

async function orderByList(
  { count, dimensions, codes, scales }: VectorCodes,
  lists: IvfLists,
  clock: BatchClock | undefined,
): Promise<ListRows> {
  const listCount = lists.centroids.scales.length;
  const sizes = new Uint32Array(listCount);
  for (let anchor = 0; anchor < count; anchor++) {
    const list = lists.listOf[anchor] as number;
    sizes[list] = (sizes[list] as number) + 1;
  }
  const starts = new Uint32Array(listCount);
  let rows = 0;
  for (let list = 0; list < listCount; list++) {
    starts[list] = rows;
    rows += 4 * Math.ceil((sizes[list] as number) / 4);
  }
  const vectors = allocateAnchorVectors(rows, dimensions);
  const anchorOf = new Uint32Array(rows);
  const rowOf = new Uint32Array(count);
  const next = starts.slice();
  const copy = (anchor: number): void => {
    const list = lists.listOf[anchor] as number;
    const row = next[list] as number;
    next[list] = row + 1;
    anchorOf[row] = anchor;
    rowOf[anchor] = row;
    vectors.scales[row] = scales[anchor] as number;
    vectors.codes.set(codes.subarray(anchor * dimensions, (anchor + 1) * dimensions), row * dimensions);
  };
  let anchor = 0;
  await runCooperatively(() => {
    for (const end = Math.min(anchor + ROWS_A_STEP, count); anchor < end; anchor++) copy(anchor);
    return anchor === count;
  }, clock);
  return { vectors, starts, sizes, anchorOf, rowOf };
}

/** Removes anchors that were collected while the threshold was still lower. */
function dropBelow(shortlist: Shortlist, lowest: number): void {
  const { anchors, similarities, count } = shortlist;
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const similarity = similarities[at] as number;
    if (similarity < lowest) continue;
    anchors[kept] = anchors[at] as number;
    similarities[kept++] = similarity;
  }
  shortlist.count = kept;
}
