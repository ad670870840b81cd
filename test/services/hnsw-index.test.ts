/** The HNSW index with hnswlib-node itself, which is compiled here at the first run. */
import { join } from "node:path";
import { expect, it } from "vitest";
import type { AnchorSet } from "../../src/engine/estimation/anchor-set.js";
import { quantise } from "../../src/engine/search/anchor-vectors.js";
import { buildHnswGraph, createHnswIndex, readHnswGraph } from "../../src/engine/search/hnsw-index.js";
import { anchorIndexContract } from "../contracts/anchor-index.contract.js";
import { clusteredVectors } from "../contracts/clustered-vectors.js";
import { indexDecisionsContract } from "../contracts/index-decisions.contract.js";
import { folderForTest } from "../support/folders.js";
import { installHnswLibrary } from "./hnsw-library.js";

const library = installHnswLibrary();

anchorIndexContract("the HNSW index", async (vectors) =>
  createHnswIndex(vectors, await buildHnswGraph(vectors, { library })),
);

it("The HNSW index finds the same neighbours after its graph was written and read", async () => {
  const data = clusteredVectors({ count: 3_000, dimensions: 32, queries: 20, seed: 3 });
  const vectors = quantise(data.rows, 32);
  const path = join(folderForTest(), "hnsw.bin");
  const graph = await buildHnswGraph(vectors, { library });
  graph.writeIndexSync(path);
  const read = createHnswIndex(vectors, readHnswGraph(vectors, { library, path }));
  const built = createHnswIndex(vectors, graph);
  for (const query of data.queries) expect(read.search(query, 64)).toEqual(built.search(query, 64));
});

indexDecisionsContract("hnsw", async (set: AnchorSet) => {
  const { size, dimensions } = set.index;
  const rows = new Float32Array(size * dimensions);
  for (let anchor = 0; anchor < size; anchor++) rows.set(set.vectorOf(anchor), anchor * dimensions);
  const vectors = quantise(rows, dimensions);
  return createHnswIndex(vectors, await buildHnswGraph(vectors, { library }));
});
