import type { AnchorIndex, Neighbours } from "./anchor-index.js";
import { type AnchorVectors, allocateAnchorVectors } from "./anchor-vectors.js";
import { openCellBounds } from "./cell-bounds.js";
import { orderCells } from "./cell-order.js";
import { deviationsAt, LEAST_NEIGHBOURS } from "./cell-reach.js";
import type { Cells } from "./cells.js";
import { createRanking } from "./ranking.js";
import { createRisingBar } from "./rising-bar.js";
import { openKernel, type ScannedSimilarities } from "./similarity.js";
import { PEAK_BLOCK } from "./vector-memory.js";

/**
 * Reads the cells in the order of what they may hold, as long as they may hold an anchor nearer than the k-th of those found:
 * a twelfth of 25,000 anchors for a prompt among them, a quarter for one unlike any. By the kernel of the exact index, so that
 * both give an anchor the same similarity. Keeps the codes a second time, in the order of the cells.
 *
 * A search bears at least `LEAST_NEIGHBOURS` in mind: the few nearest of all are found by looking for more.
 */
export function createCellIndex(
  vectors: AnchorVectors,
  cells: Cells,
  options: { readonly kernel?: "simd" | "plain" } = {},
): AnchorIndex {
  const rows = inOrderOfCells(vectors, cells);
  const kernel = openKernel(rows.vectors, options.kernel);
  const bounds = openCellBounds(cells.means, vectors.dimensions);
  const bar = createRisingBar();
  const ranking = createRanking(vectors.count);
  const limits = new Float32Array(bounds.cells);
  const deviations = new Float32Array(bounds.cells);
  /** By this cells are ordered: where to begin need not be known exactly. */
  const usual = (cells.reach.among.deviations + cells.reach.apart.deviations) / 2;
  const order = new Uint32Array(bounds.cells);
  const shortlist = {
    anchors: new Uint32Array(vectors.count),
    similarities: new Float32Array(vectors.count),
    count: 0,
  };

  /** Puts those of a cell's anchors into the shortlist that reach the bar. */
  const collect = ({ similarities, peaks }: ScannedSimilarities, cell: number): void => {
    const start = rows.starts[cell] as number;
    const end = start + (rows.sizes[cell] as number);
    const lowest = bar.value;
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
        bar.add(similarity);
      }
    }
  };

  const loadLimits = (vector: Float32Array): void => {
    bounds.load(vector);
    kernel.load(vector);
    for (let cell = 0; cell < limits.length; cell++) {
      const deviation = bounds.deviation(cell);
      deviations[cell] = deviation;
      limits[cell] = (bounds.expected[cell] as number) + usual * deviation;
    }
  };

  const mayHoldNear = (cell: number): boolean => {
    const reach = deviationsAt(bar.highest, cells.reach);
    return (bounds.expected[cell] as number) + reach * (deviations[cell] as number) >= bar.value;
  };

  return {
    kind: "cells",
    size: vectors.count,
    dimensions: vectors.dimensions,
    search(vector, k): Neighbours {
      loadLimits(vector);
      orderCells(limits, order);
      bar.reset(Math.max(k, LEAST_NEIGHBOURS));
      shortlist.count = 0;
      for (let place = 0; place < order.length; place++) {
        const cell = order[place] as number;
        const size = rows.sizes[cell] as number;
        if (size === 0 || !mayHoldNear(cell)) continue;
        collect(kernel.some(rows.starts[cell] as number, size), cell);
      }
      dropBelow(shortlist, bar.value);
      return ranking.nearestOf(shortlist, k);
    },
  };
}

interface CellRows {
  /** The rows of cell after cell, each cell's padded with rows of zeros to a multiple of 4. */
  readonly vectors: AnchorVectors;
  /** First row of each cell, and its rows without padding. */
  readonly starts: Uint32Array;
  readonly sizes: Uint32Array;
  /** Anchor number of a row; 0 for padding. */
  readonly anchorOf: Uint32Array;
}

function inOrderOfCells({ count, dimensions, codes, scales }: AnchorVectors, cells: Cells): CellRows {
  const cellCount = cells.means.scales.length;
  const sizes = new Uint32Array(cellCount);
  for (const cell of cells.cellOf) sizes[cell] = (sizes[cell] as number) + 1;
  const starts = new Uint32Array(cellCount);
  let rows = 0;
  for (let cell = 0; cell < cellCount; cell++) {
    starts[cell] = rows;
    rows += 4 * Math.ceil((sizes[cell] as number) / 4);
  }
  const vectors = allocateAnchorVectors(rows, dimensions);
  const anchorOf = new Uint32Array(rows);
  const next = starts.slice();
  for (let anchor = 0; anchor < count; anchor++) {
    const cell = cells.cellOf[anchor] as number;
    const row = next[cell] as number;
    next[cell] = row + 1;
    anchorOf[row] = anchor;
    vectors.scales[row] = scales[anchor] as number;
    vectors.codes.set(codes.subarray(anchor * dimensions, (anchor + 1) * dimensions), row * dimensions);
  }
  return { vectors, starts, sizes, anchorOf };
}

interface Shortlist {
  readonly anchors: Uint32Array;
  readonly similarities: Float32Array;
  count: number;
}

/** Takes out what was found while the bar was still lower. */
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
