/** The anchors nearest to a query, most similar first; equal similarities in order of anchor number. */
export interface Neighbours {
  /** Anchor numbers, `[count]`. */
  readonly anchors: Int32Array;
  /** Cosine similarities in [−1, 1], `[count]`, descending. */
  readonly similarities: Float32Array;
}

export const INDEX_KINDS = ["exact", "ivf", "hnsw"] as const;
export type IndexKind = (typeof INDEX_KINDS)[number];

/**
 * Nearest-neighbour search over the unit vectors of one anchor set. Implementations: `exact-index.ts`, `ivf-index.ts`,
 * `hnsw-index.ts`.
 */
export interface AnchorIndex {
  readonly kind: IndexKind;
  /** Number of anchors. */
  readonly size: number;
  readonly dimensions: number;
  /**
   * The `min(k, size)` nearest anchors of `vector` (`[dimensions]`, unit length or all zeros). Synchronous and
   * deterministic. `exact` is the reference; the others find at least 98 % of the same anchors.
   *
   * @throws RangeError when `vector` has other dimensions than the set
   */
  search(vector: Float32Array, k: number): Neighbours;
  /** The unit vector of an anchor, `[dimensions]`. */
  vectorOf(anchor: number): Float32Array;
}

export interface BuildIndexOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called some hundred times, with the work done and its total. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Removes one anchor: for the neighbourhood of an anchor that is itself the query. */
export function withoutAnchor({ anchors, similarities }: Neighbours, anchor: number): Neighbours {
  const index = anchors.indexOf(anchor);
  if (index < 0) return { anchors, similarities };
  const kept = { anchors: anchors.slice(0, -1), similarities: similarities.slice(0, -1) };
  kept.anchors.set(anchors.subarray(index + 1), index);
  kept.similarities.set(similarities.subarray(index + 1), index);
  return kept;
}
