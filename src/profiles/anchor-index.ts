/** The anchors nearest to a query, most similar first; equal similarities in order of anchor number. */
export interface Neighbours {
  /** Anchor numbers, `[count]`. */
  readonly anchors: Int32Array;
  /** Cosine similarities in [−1, 1], `[count]`, descending. */
  readonly similarities: Float32Array;
}

/** Nearest-neighbour search over the unit vectors of one anchor set. Implementations: `index/exact.ts`, `index/cell-index.ts`. */
export interface AnchorIndex {
  readonly kind: "exact" | "cells";
  /** Number of anchors. */
  readonly size: number;
  readonly dimensions: number;
  /**
   * The `min(k, size)` nearest anchors of `vector` (`[dimensions]`, unit length or all zeros). Synchronous and
   * deterministic. `exact` is the reference; `cells` finds at least 98 % of the same anchors.
   */
  search(vector: Float32Array, k: number): Neighbours;
}

/** The same neighbours without one anchor: what an anchor's neighbourhood is when it is asked about itself. */
export function withoutAnchor(neighbours: Neighbours, anchor: number): Neighbours {
  const places = [...neighbours.anchors.keys()].filter((place) => neighbours.anchors[place] !== anchor);
  return {
    anchors: Int32Array.from(places, (place) => neighbours.anchors[place] as number),
    similarities: Float32Array.from(places, (place) => neighbours.similarities[place] as number),
  };
}
