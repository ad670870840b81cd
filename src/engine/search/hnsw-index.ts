import { setImmediate as nextTurn } from "node:timers/promises";
import { SectionFileError } from "../../foundation/section-file.js";
import type { AnchorIndex, BuildIndexOptions, Neighbours } from "./anchor-index.js";
import { type AnchorVectors, decodeRow } from "./anchor-vectors.js";
import { createExactIndex } from "./exact-index.js";
import type { HnswGraph, HnswLibrary } from "./hnsw-library.js";
import { createRanking } from "./ranking.js";

/** Links of an anchor in every layer but the lowest, which has twice as many. */
const LINKS = 16;
const BUILD_CANDIDATES = 200;
const SEED = 100;
/**
 * Candidates of a search for `k`. Half as many would find 98 % of the neighbours, but then only 98 % of decisions on
 * the shipped set would equal those of exact search.
 */
const candidatesFor = (k: number): number => Math.max(1024, 8 * k);
/** Above this share of the anchors as candidates, exact search is faster and used instead. */
const MOST_CANDIDATES_SHARE = 1 / 2;
/** Anchors inserted before yielding to the event loop: about 50 ms. */
const ANCHORS_PER_TURN = 64;

/**
 * Builds an HNSW graph: about a minute for 100,000 anchors. Unlike IVF lists, the graph may differ between processors,
 * on which the library adds in another order.
 *
 * @throws the reason of `signal` when it is aborted
 */
export async function buildHnswGraph(
  vectors: AnchorVectors,
  { library, signal, onProgress }: BuildIndexOptions & { readonly library: HnswLibrary },
): Promise<HnswGraph> {
  const graph = new library.HierarchicalNSW("ip", vectors.dimensions);
  graph.initIndex(vectors.count, LINKS, BUILD_CANDIDATES, SEED);
  for (let anchor = 0; anchor < vectors.count; anchor++) {
    if (anchor % ANCHORS_PER_TURN === 0) {
      await nextTurn();
      signal?.throwIfAborted();
      onProgress?.(anchor, vectors.count);
    }
    graph.addPoint(Array.from(decodeRow(vectors, anchor)), anchor);
  }
  onProgress?.(vectors.count, vectors.count);
  return graph;
}

interface StoredGraph {
  readonly library: HnswLibrary;
  readonly path: string;
}

/** Reads a graph that was built over `vectors`. @throws SectionFileError when it cannot be of these vectors */
export function readHnswGraph(vectors: AnchorVectors, { library, path }: StoredGraph): HnswGraph {
  const graph = new library.HierarchicalNSW("ip", vectors.dimensions);
  graph.readIndexSync(path);
  if (graph.getCurrentCount() !== vectors.count || graph.getNumDimensions() !== vectors.dimensions)
    throw new SectionFileError(
      `${path} does not fit the ${vectors.count} anchors of ${vectors.dimensions} dimensions. Build the set again.`,
    );
  return graph;
}

/** Searches a graph of the vectors, which keeps a second copy of them as f32; searches exactly where that is faster. */
export function createHnswIndex(vectors: AnchorVectors, graph: HnswGraph): AnchorIndex {
  const { count: size, dimensions } = vectors;
  const exact = createExactIndex(vectors);
  const ranking = createRanking(size);

  const searchGraph = (vector: Float32Array, k: number): Neighbours => {
    graph.setEf(candidatesFor(k));
    const { neighbors, distances } = graph.searchKnn(Array.from(vector), k);
    const similarities = Float32Array.from(distances, (distance) => Math.max(-1, Math.min(1, 1 - distance)));
    return ranking.nearestOf(
      { anchors: Uint32Array.from(neighbors), similarities, count: neighbors.length },
      k,
    );
  };

  return {
    kind: "hnsw",
    size,
    dimensions,
    search(vector, k) {
      const few = candidatesFor(k) <= MOST_CANDIDATES_SHARE * size;
      // All anchors are equally far from a vector of zeros, and the graph would return any of them.
      const searchable = vector.length === dimensions && vector.some((value) => value !== 0);
      return few && searchable ? searchGraph(vector, k) : exact.search(vector, k);
    },
    vectorOf: (anchor) => exact.vectorOf(anchor),
  };
}
