/**
 * A hierarchical navigable small world (Malkov & Yashunin 2016) over the anchors of one set: who is linked to whom,
 * without the vectors, which the set's own codes supply.
 */
export interface NeighbourGraph {
  readonly parameters: GraphParameters;
  /** Number of anchors. */
  readonly size: number;
  readonly dimensions: number;
  /** SHA-256 of the vectors the graph was built from, `[32]`. */
  readonly vectorsChecksum: Uint8Array;
  /** From the layer of all anchors (0) to the one below the entries. */
  readonly layers: readonly GraphLayer[];
  /** Anchors of the layer where a search starts by comparing all of them, ascending. */
  readonly entries: Uint32Array;
}

export interface GraphLayer {
  /** Anchors of this layer, ascending; undefined means all. */
  readonly members: Uint32Array | undefined;
  /** Links of the i-th member: `neighbours[starts[i]] … neighbours[starts[i + 1] − 1]`. `[members + 1]`. */
  readonly starts: Uint32Array;
  readonly neighbours: Uint32Array;
}

/** What decides a graph, given the vectors in order. */
export interface GraphParameters {
  /** Links an anchor seeks in every layer; it may hold twice as many in layer 0. */
  readonly links: number;
  /** Candidates looked at to find them. */
  readonly buildCandidates: number;
  readonly seed: number;
}

/**
 * Measured on 25,000 prompts (docs/decisions/0002-nearest-neighbours.md): with 16 links the same recall takes a third more
 * candidates; 300 build candidates instead of 200 gain nothing.
 */
export const GRAPH_PARAMETERS: GraphParameters = { links: 32, buildCandidates: 200, seed: 100 };

/**
 * The lowest layer with at most this many anchors is compared whole, which takes 20 µs and starts the search in several
 * topics at once: from the single entry point of the usual descent, a topic that few links lead to is never found.
 */
export const MAXIMUM_ENTRIES = 2048;

/** Places a graph may come from, or why there is none. */
export type GraphOutcome =
  | { readonly status: "ready"; readonly graph: NeighbourGraph }
  | { readonly status: "absent" | "stale" | "corrupt" | "unavailable"; readonly reason: string };
