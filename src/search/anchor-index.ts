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
export function withoutAnchor({ anchors, similarities }: Neighbours, anchor: number): Neighbours {
  const place = anchors.indexOf(anchor);
  if (place < 0) return { anchors, similarities };
  const kept = { anchors: anchors.slice(0, -1), similarities: similarities.slice(0, -1) };
  kept.anchors.set(anchors.subarray(place + 1), place);
  kept.similarities.set(similarities.subarray(place + 1), place);
  return kept;
}
