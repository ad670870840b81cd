/**
 * How a graph's results become neighbours, with a stand-in for hnswlib-node, which is compiled when it is installed. The library
 * itself: test/services/hnsw-index.test.ts.
 */
import { describe, expect, it } from "vitest";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../../src/engine/search/exact-index.js";
import { buildHnswGraph, createHnswIndex } from "../../../src/engine/search/hnsw-index.js";
import { anchorIndexContract } from "../../contracts/anchor-index.contract.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";
import { exhaustiveHnswLibrary } from "../../fakes/hnsw-library.js";

const library = exhaustiveHnswLibrary;

anchorIndexContract("the HNSW index over a stand-in for its library", async (vectors) =>
  createHnswIndex(vectors, await buildHnswGraph(vectors, { library })),
);

describe("the HNSW index", () => {
  const data = clusteredVectors({ count: 3_000, dimensions: 16, queries: 1, seed: 8 });
  const vectors = quantise(data.rows, 16);
  const query = data.queries[0] as Float32Array;

  it("searches the graph for few neighbours, and compares all anchors for many", async () => {
    const graph = await buildHnswGraph(vectors, { library });
    const asked: number[] = [];
    const search = graph.searchKnn.bind(graph);
    graph.searchKnn = (vector, k) => {
      asked.push(k);
      return search(vector, k);
    };
    const index = createHnswIndex(vectors, graph);
    const found = [1, 128, 400].map((k) => index.search(query, k));
    expect(asked).toEqual([1, 128]);
    expect(found[2]).toEqual(createExactIndex(vectors).search(query, 400));
  });

  it("reports its progress, and stops building when it is aborted", async () => {
    const progress: number[] = [];
    await buildHnswGraph(vectors, { library, onProgress: (done) => progress.push(done) });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(3_000);
    await expect(buildHnswGraph(vectors, { library, signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });
});
