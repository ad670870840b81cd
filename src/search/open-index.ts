import type { AnchorIndex } from "./anchor-index.js";
import type { AnchorVectors } from "./anchor-vectors.js";
import { type BuildCellsOptions, buildCells } from "./cell-build.js";
import { restoreCells } from "./cell-format.js";
import { createCellIndex } from "./cell-index.js";
import { CELLS_FROM_ANCHORS } from "./cells.js";
import { createExactIndex } from "./exact.js";

export interface OpenAnchorIndexOptions extends BuildCellsOptions {
  readonly vectors: AnchorVectors;
  /** As `serialiseCells` wrote them. */
  readonly cells?: Uint8Array | undefined;
  /** Default `auto`: by the number of anchors. */
  readonly prefer?: "auto" | "exact" | "cells" | undefined;
}

export interface OpenedAnchorIndex {
  readonly index: AnchorIndex;
  /** One sentence for a log: which index serves, and why. */
  readonly note: string;
}

/**
 * The quickest index for a set. Reads the stored cells, or makes them when they are missing or do not fit: half a second for 25,000
 * anchors. Rejects when `signal` is aborted.
 */
export async function openAnchorIndex(options: OpenAnchorIndexOptions): Promise<OpenedAnchorIndex> {
  const { vectors, prefer = "auto" } = options;
  const size = `${vectors.count.toLocaleString("en")} anchors`;
  if (prefer === "exact")
    return { index: createExactIndex(vectors), note: `exact search of ${size}, as asked` };
  if (prefer === "auto" && vectors.count < CELLS_FROM_ANCHORS) {
    return { index: createExactIndex(vectors), note: `exact search of ${size}, quick enough for so few` };
  }
  const stored = restoreCells(vectors, options.cells);
  if (stored.status === "ready")
    return { index: createCellIndex(vectors, stored.cells), note: `stored cells of ${size}` };
  const cells = await buildCells(vectors, options);
  return {
    index: createCellIndex(vectors, cells),
    note: `cells of ${size}, made because ${stored.reason}`,
  };
}
