import type { AnchorIndex } from "../anchor-index.js";
import type { AnchorVectors } from "../anchor-vectors.js";
import { createExactIndex } from "./exact.js";
import { restoreGraph, serialiseGraph } from "./graph-format.js";
import { type BuildGraphOptions, buildGraph, createHnswIndex, HNSW_FROM_ANCHORS } from "./hnsw.js";

export interface OpenAnchorIndexOptions extends BuildGraphOptions {
  readonly vectors: AnchorVectors;
  /** A graph stored by an earlier call. */
  readonly graph?: Uint8Array | undefined;
  /** Default `auto`: by the number of anchors. `hnsw` still gives `exact` where a graph can neither be read nor built. */
  readonly prefer?: "auto" | "exact" | "hnsw" | undefined;
  /** Without a stored graph that fits: `build` one (the default; minutes at 100,000 anchors) or `scan` all anchors. */
  readonly withoutGraph?: "build" | "scan" | undefined;
}

export interface OpenedAnchorIndex {
  readonly index: AnchorIndex;
  /** One sentence for a log: which index serves, and why. */
  readonly note: string;
  /** The graph to store when a new one was built. */
  readonly builtGraph?: Uint8Array;
}

/**
 * The quickest index for a set. Reads the stored graph, or builds one when it is missing or does not fit (0.5 ms an
 * anchor), or searches exactly when the package that builds it is missing too. Rejects when `signal` is aborted or
 * `scratchDir` cannot be written.
 */
export async function openAnchorIndex(options: OpenAnchorIndexOptions): Promise<OpenedAnchorIndex> {
  const { vectors, prefer = "auto" } = options;
  const size = `${vectors.count.toLocaleString("en")} anchors`;
  if (prefer === "exact")
    return { index: createExactIndex(vectors), note: `exact search of ${size}, as asked` };
  if (prefer === "auto" && vectors.count < HNSW_FROM_ANCHORS) {
    return { index: createExactIndex(vectors), note: `exact search of ${size}, the quickest for so few` };
  }
  const stored = restoreGraph(vectors, options.graph);
  if (stored.status === "ready") {
    return { index: createHnswIndex(vectors, stored.graph), note: `stored HNSW graph of ${size}` };
  }
  if (options.withoutGraph === "scan") {
    return { index: createExactIndex(vectors), note: `exact search of ${size}, because ${stored.reason}` };
  }
  const built = await buildGraph(vectors, options);
  if (built.status === "ready") {
    return {
      index: createHnswIndex(vectors, built.graph),
      note: `HNSW graph of ${size}, built because ${stored.reason}`,
      builtGraph: serialiseGraph(built.graph),
    };
  }
  return {
    index: createExactIndex(vectors),
    note: `exact search of ${size}, because ${stored.reason} and ${built.reason}`,
  };
}
