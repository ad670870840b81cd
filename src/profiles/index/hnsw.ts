import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HierarchicalNSW } from "hnswlib-node";
import type { AnchorIndex } from "../anchor-index.js";
import { type AnchorVectors, decodeRow } from "../anchor-vectors.js";
import { checksumOf } from "./graph-format.js";
import { createGraphSearch } from "./graph-search.js";
import { readHnswlibGraph } from "./hnswlib-file.js";
import {
  GRAPH_PARAMETERS,
  type GraphOutcome,
  MAXIMUM_ENTRIES,
  type NeighbourGraph,
} from "./neighbour-graph.js";
import { createRanking } from "./ranking.js";
import { openKernel } from "./similarity.js";

/** The optional native package, as far as it is used. */
export interface GraphBuilderAddon {
  readonly HierarchicalNSW: new (space: "ip", dimensions: number) => HierarchicalNSW;
}

export interface BuildGraphOptions {
  /** Where a temporary file of about 1.3 kB an anchor may lie while links are read from it. */
  readonly scratchDir: string;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  /** Default `MAXIMUM_ENTRIES`. */
  readonly maximumEntries?: number | undefined;
  readonly loadAddon?: (() => Promise<GraphBuilderAddon>) | undefined;
}

/** Anchors added between two turns of the event loop: some 100 ms. */
const ANCHORS_A_TURN = 256;

/**
 * Candidates a walk keeps: twice the results asked for, and 160 at least, find 98 % of the nearest even with embeddings
 * that crowd. This and the next constant are measured in docs/decisions/0002-nearest-neighbours.md.
 */
const LEAST_CANDIDATES = 160;
const CANDIDATES_PER_RESULT = 2;
/** Anchors that a scan compares in the time a walk spends on one candidate. */
const ANCHORS_PER_CANDIDATE = 60;

/** Below this many anchors no walk is quicker than a scan. */
export const HNSW_FROM_ANCHORS = LEAST_CANDIDATES * ANCHORS_PER_CANDIDATE;

/**
 * Builds the graph with hnswlib, 0.4 ms an anchor, and keeps its links only. The same vectors give the same graph.
 * `unavailable` when the native package is not installed; `signal` makes it reject.
 */
export async function buildGraph(vectors: AnchorVectors, options: BuildGraphOptions): Promise<GraphOutcome> {
  let addon: GraphBuilderAddon;
  try {
    addon = await (options.loadAddon ?? loadAddon)();
  } catch {
    return { status: "unavailable", reason: "the optional package hnswlib-node is not installed" };
  }
  const native = await addAll(new addon.HierarchicalNSW("ip", vectors.dimensions), vectors, options);
  const folder = await mkdtemp(join(options.scratchDir, "sextant-graph-"));
  try {
    const path = join(folder, "graph.bin");
    native.writeIndexSync(path);
    const { maximumEntries = MAXIMUM_ENTRIES } = options;
    const links = readHnswlibGraph(path, { size: vectors.count, maximumEntries });
    return { status: "ready", graph: graphFrom(vectors, links) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Walks the graph, comparing by the codes of `vectors` with the kernel of the exact index, so that both give an anchor
 * the same similarity. Neither hnswlib nor its f32 copy of the vectors is needed for that, and it takes two thirds of the time.
 * Where so many results are asked for that a scan is quicker, it scans; `walk` makes it do so only where it must.
 */
export function createHnswIndex(
  vectors: AnchorVectors,
  graph: NeighbourGraph,
  options: { readonly walk?: "when quicker" | "when possible" } = {},
): AnchorIndex {
  const kernel = openKernel(vectors);
  const search = createGraphSearch(graph, kernel);
  const ranking = createRanking(vectors.count);
  const anchorsPerCandidate = options.walk === "when possible" ? 1 : ANCHORS_PER_CANDIDATE;
  return {
    kind: "hnsw",
    size: vectors.count,
    dimensions: vectors.dimensions,
    search(vector, k) {
      const candidates = Math.max(LEAST_CANDIDATES, Math.ceil(CANDIDATES_PER_RESULT * k));
      const few = vectors.count <= anchorsPerCandidate * candidates;
      // To zeros everything is equally far, and no walk finds the lowest numbers.
      if (kernel.load(vector) === "zero" || few) return ranking.nearest(kernel.all(), k);
      const found = search(candidates);
      // Never seen on real prompts: a walk that ends on an island smaller than what was asked for.
      if (found.size < k) return ranking.nearest(kernel.all(), k);
      return ranking.nearestOf({ anchors: found.anchors, similarities: found.keys, count: found.size }, k);
    },
  };
}

async function loadAddon(): Promise<GraphBuilderAddon> {
  return (await import("hnswlib-node")).default;
}

async function addAll(
  native: HierarchicalNSW,
  vectors: AnchorVectors,
  { signal, onProgress }: BuildGraphOptions,
): Promise<HierarchicalNSW> {
  const { links, buildCandidates, seed } = GRAPH_PARAMETERS;
  native.initIndex(vectors.count, links, buildCandidates, seed);
  for (let anchor = 0; anchor < vectors.count; anchor++) {
    // The addon takes plain arrays only.
    native.addPoint([...decodeRow(vectors, anchor)], anchor);
    if (anchor % ANCHORS_A_TURN !== 0) continue;
    onProgress?.(anchor, vectors.count);
    await nextTurn(undefined, signal ? { signal } : {});
  }
  onProgress?.(vectors.count, vectors.count);
  return native;
}

function graphFrom(
  vectors: AnchorVectors,
  links: Pick<NeighbourGraph, "layers" | "entries">,
): NeighbourGraph {
  const { count: size, dimensions } = vectors;
  return { parameters: GRAPH_PARAMETERS, size, dimensions, vectorsChecksum: checksumOf(vectors), ...links };
}
