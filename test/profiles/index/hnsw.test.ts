import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AnchorVectors, quantise } from "../../../src/profiles/anchor-vectors.js";
import { createExactIndex } from "../../../src/profiles/index/exact.js";
import { restoreGraph, serialiseGraph } from "../../../src/profiles/index/graph-format.js";
import { buildGraph, createHnswIndex } from "../../../src/profiles/index/hnsw.js";
import type { GraphLayer, NeighbourGraph } from "../../../src/profiles/index/neighbour-graph.js";
import { anchorIndexContract } from "../../contracts/anchor-index.contract.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";

let scratchDir: string;
beforeAll(async () => {
  scratchDir = await mkdtemp(join(tmpdir(), "sextant-hnsw-test-"));
});
afterAll(() => rm(scratchDir, { recursive: true, force: true }));

async function graphOf(vectors: AnchorVectors): Promise<NeighbourGraph> {
  const outcome = await buildGraph(vectors, { scratchDir });
  if (outcome.status !== "ready") throw new Error(outcome.reason);
  return outcome.graph;
}

anchorIndexContract("the HNSW index", async (vectors) =>
  createHnswIndex(vectors, await graphOf(vectors), { walk: "when possible" }),
);

describe("the HNSW index", () => {
  const data = clusteredVectors({ count: 4_000, dimensions: 64, queries: 50, seed: 21 });
  const vectors = quantise(data.rows, data.dimensions);
  let graph: NeighbourGraph;
  beforeAll(async () => {
    graph = await graphOf(vectors);
  });

  it("walks the graph instead of comparing all anchors", () => {
    const isolated = { ...graph, layers: graph.layers.map(withoutLinks) };
    const found = createHnswIndex(vectors, isolated, { walk: "when possible" }).search(queryOf(0), 5);
    expect(found.anchors.filter((anchor) => !graph.entries.includes(anchor))).toHaveLength(0);
  });

  it("compares all anchors when a walk finds fewer than asked for", () => {
    const isolated = { ...graph, layers: graph.layers.map(withoutLinks) };
    expect(createHnswIndex(vectors, isolated, { walk: "when possible" }).search(queryOf(0), 64)).toEqual(
      createExactIndex(vectors).search(queryOf(0), 64),
    );
  });

  it("scans when so many anchors are wanted that walking would be slower", () => {
    const isolated = { ...graph, layers: graph.layers.map(withoutLinks) };
    expect(createHnswIndex(vectors, isolated).search(queryOf(0), 64)).toEqual(
      createExactIndex(vectors).search(queryOf(0), 64),
    );
  });

  it("gives an anchor the very similarity the exact index gives it", () => {
    const exact = createExactIndex(vectors);
    const hnsw = createHnswIndex(vectors, graph, { walk: "when possible" });
    for (const query of data.queries) {
      const all = exact.search(query, vectors.count);
      const similarityOf = new Map([...all.anchors].map((anchor, at) => [anchor, all.similarities[at]]));
      const { anchors, similarities } = hnsw.search(query, 64);
      expect([...similarities]).toEqual(Array.from(anchors, (anchor) => similarityOf.get(anchor)));
    }
  });

  it("is the same after its graph was stored and read back", () => {
    const restored = restoreGraph(vectors, serialiseGraph(graph));
    if (restored.status !== "ready") throw new Error(restored.reason);
    expect(restored.graph).toEqual(graph);
    const before = createHnswIndex(vectors, graph, { walk: "when possible" });
    const after = createHnswIndex(vectors, restored.graph, { walk: "when possible" });
    for (const query of data.queries) expect(after.search(query, 64)).toEqual(before.search(query, 64));
  });

  it("is built the same twice", async () => {
    expect(serialiseGraph(await graphOf(vectors))).toEqual(serialiseGraph(graph));
  });

  it("survives more searches than the rounds it counts", async () => {
    const small = quantise(clusteredVectors({ count: 300, dimensions: 8, queries: 0, seed: 2 }).rows, 8);
    const query = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0);
    const ground = await graphOf(small);
    // One round a layer: a tower of layers without links reaches the end of the count sooner.
    const tower = Array.from({ length: 99 }, () => ({
      members: ground.entries,
      ...noLinks(ground.entries.length),
    }));
    const index = createHnswIndex(
      small,
      { ...ground, layers: [...ground.layers, ...tower] },
      { walk: "when possible" },
    );
    const first = index.search(query, 10);
    for (let search = 0; search < 700; search++) expect(index.search(query, 10)).toEqual(first);
  });

  it("leaves no file behind and reports its progress", async () => {
    const progress: number[] = [];
    await buildGraph(vectors, { scratchDir, onProgress: (done) => progress.push(done) });
    expect(await readdir(scratchDir)).toEqual([]);
    expect(progress.at(-1)).toBe(4_000);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
  });

  it("stops building when it is told to", async () => {
    await expect(buildGraph(vectors, { scratchDir, signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });

  it("says so when the native package is missing", async () => {
    const loadAddon = () => Promise.reject(new Error("Cannot find package"));
    expect(await buildGraph(vectors, { scratchDir, loadAddon })).toEqual({
      status: "unavailable",
      reason: "the optional package hnswlib-node is not installed",
    });
  });

  function queryOf(at: number): Float32Array {
    return data.queries[at] ?? new Float32Array(64);
  }
});

describe("a graph of several layers", () => {
  it("keeps the layers between the entries and the ground", async () => {
    const data = clusteredVectors({ count: 4_000, dimensions: 32, queries: 30, seed: 8 });
    const vectors = quantise(data.rows, 32);
    const built = await buildGraph(vectors, { scratchDir, maximumEntries: 50 });
    if (built.status !== "ready") throw new Error(built.reason);
    const { graph } = built;
    // The share of anchors in layer n is 1/32^n.
    expect(graph.layers).toHaveLength(2);
    expect(graph.layers[1]?.members?.length).toBeGreaterThan(50);
    expect(graph.entries.length).toBeLessThan(20);
    expect(restoreGraph(vectors, serialiseGraph(graph))).toEqual(built);
    const hnsw = createHnswIndex(vectors, graph, { walk: "when possible" });
    const exact = createExactIndex(vectors);
    for (const query of data.queries) {
      const bar = exact.search(query, 10).similarities.at(-1) ?? 1;
      const found = hnsw.search(query, 10).similarities.filter((similarity) => similarity >= bar);
      expect(found.length).toBeGreaterThanOrEqual(9);
    }
  });
});

function withoutLinks(layer: GraphLayer): GraphLayer {
  return { members: layer.members, ...noLinks(layer.starts.length - 1) };
}

function noLinks(members: number) {
  return { starts: new Uint32Array(members + 1), neighbours: new Uint32Array(0) };
}
