/**
 * The anchors of one set dealt into cells of neighbours: a search reads the cells that may hold near ones and no others
 * (docs/decisions/0002-nearest-neighbours.md). Without the vectors, which the set's own codes supply.
 */
export interface Cells {
  /** Number of anchors. */
  readonly size: number;
  readonly dimensions: number;
  /** SHA-256, hex, of the vectors that were dealt. */
  readonly vectorsChecksum: string;
  /** Of each anchor, `[size]`. A cell may be empty. */
  readonly cellOf: Uint16Array;
  /** The mean of each cell's anchors: the wider the cell, the shorter. int8 `[cells × dimensions]` and f32 `[cells]`. */
  readonly means: { readonly codes: Int8Array; readonly scales: Float32Array };
  readonly reach: Reach;
}

/**
 * How many deviations above what its mean promises a cell is still read (see `CellBounds`): for queries among the anchors, and for
 * queries unlike any. In between, in proportion.
 */
export interface Reach {
  readonly among: ReachPoint;
  readonly apart: ReachPoint;
}

export interface ReachPoint {
  /** Of the nearest anchor. */
  readonly similarity: number;
  /** > 0 */
  readonly deviations: number;
}

/** From so many anchors on cells are used. Below, comparing all takes less than 70 µs, and finds every neighbour. */
export const CELLS_FROM_ANCHORS = 9_600;

/** Places cells may come from, or why there are none. */
export type CellsOutcome =
  | { readonly status: "ready"; readonly cells: Cells }
  | { readonly status: "absent" | "stale" | "corrupt"; readonly reason: string };
