import type { AnchorIndex } from "./anchor-index.js";
import { type AnchorVectors, decodeRow } from "./anchor-vectors.js";
import { createRanking } from "./ranking.js";
import { openKernel } from "./similarity.js";

/**
 * Compares the query with every anchor: the reference, and the fastest up to some ten thousand anchors
 * (docs/decisions/search.md). 41 µs for 64 of 5,000 anchors of 128 dimensions.
 */
export function createExactIndex(vectors: AnchorVectors): AnchorIndex {
  const kernel = openKernel(vectors);
  const ranking = createRanking(vectors.count);
  return {
    kind: "exact",
    size: vectors.count,
    dimensions: vectors.dimensions,
    search(vector, k) {
      kernel.load(vector);
      return ranking.nearest(kernel.all(), k);
    },
    vectorOf: (anchor) => decodeRow(vectors, anchor),
  };
}
