import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { buildHnswGraph } from "../../../src/engine/search/hnsw-index.js";
import { buildIvfLists } from "../../../src/engine/search/ivf-build.js";
import { encodeIvfLists } from "../../../src/engine/search/ivf-lists.js";
import { fastestKind, openAnchorIndex } from "../../../src/engine/search/open-index.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";
import { exhaustiveHnswLibrary } from "../../fakes/hnsw-library.js";
import { folderForTests } from "../../support/folders.js";

const vectors = quantise(clusteredVectors({ count: 1_000, dimensions: 16, queries: 0, seed: 4 }).rows, 16);

describe("openIndex", () => {
  const graphPath = join(folderForTests(), "hnsw.bin");
  const lists: { bytes: Uint8Array; readonly name: string } = { bytes: new Uint8Array(), name: "ivf.bin" };
  beforeAll(async () => {
    lists.bytes = encodeIvfLists(await buildIvfLists(vectors));
    const graph = await buildHnswGraph(vectors, { library: exhaustiveHnswLibrary });
    graph.writeIndexSync(graphPath);
  });

  it.each([
    ["exact", "exact", undefined],
    ["IVF", "ivf", undefined],
    ["HNSW", "hnsw", exhaustiveHnswLibrary],
  ] as const)("opens an %s index where the set has one", async (_, kind, library) => {
    const files = { kind, lists, graphPath };
    const { index, note } = await openAnchorIndex(vectors, files, { openLibrary: async () => library });
    expect(index).toMatchObject({ kind, size: 1_000, dimensions: 16 });
    expect(note).toBeUndefined();
  });

  it("opens the IVF lists of a set with a graph where the library is not installed, with the remedy", async () => {
    const openLibrary = async () => undefined;
    const files = { kind: "hnsw", lists, graphPath } as const;
    const { index, note } = await openAnchorIndex(vectors, files, { openLibrary });
    expect(index.kind).toBe("ivf");
    expect(note).toBe(
      "searched by IVF lists: the HNSW graph needs the package hnswlib-node; " +
        "run `npm install hnswlib-node@3` where Sextant is installed",
    );
  });

  it("refuses a graph with another number of anchors", async () => {
    const fewer = quantise(clusteredVectors({ count: 999, dimensions: 16, queries: 0, seed: 4 }).rows, 16);
    const openLibrary = async () => exhaustiveHnswLibrary;
    await expect(openAnchorIndex(fewer, { kind: "hnsw", lists, graphPath }, { openLibrary })).rejects.toThrow(
      `${graphPath} does not fit the 999 anchors of 16 dimensions. Build the set again.`,
    );
  });
});

describe("The automatic choice of an index", () => {
  it("is exact search below 9,600 anchors and IVF from there", () => {
    expect([1, 9_599, 9_600, 1_000_000].map(fastestKind)).toEqual(["exact", "exact", "ivf", "ivf"]);
  });
});
