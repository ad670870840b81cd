import { beforeAll, describe, expect, it } from "vitest";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { buildIvfLists } from "../../../src/engine/search/ivf-build.js";
import { encodeIvfLists } from "../../../src/engine/search/ivf-lists.js";
import { fastestKind, openAnchorIndex } from "../../../src/engine/search/open-index.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";

const vectors = quantise(clusteredVectors({ count: 1_000, dimensions: 16, queries: 0, seed: 4 }).rows, 16);

describe("openIndex", () => {
  const lists: { bytes: Uint8Array; readonly name: string } = { bytes: new Uint8Array(), name: "ivf.bin" };
  beforeAll(async () => {
    lists.bytes = encodeIvfLists(await buildIvfLists(vectors));
  });

  it("opens an exact index where the set has no index file", () => {
    const { index, note } = openAnchorIndex(vectors, { kind: "exact" });
    expect(index).toMatchObject({ kind: "exact", size: 1_000, dimensions: 16 });
    expect(note).toBe("exact search of 1000 anchors");
  });

  it("opens the IVF lists where the set has them", () => {
    const { index, note } = openAnchorIndex(vectors, { kind: "ivf", lists });
    expect(index).toMatchObject({ kind: "ivf", size: 1_000, dimensions: 16 });
    expect(note).toBe("IVF search of 1000 anchors");
  });
});

describe("The automatic choice of an index", () => {
  it("is exact search below 9,600 anchors and IVF from there", () => {
    expect([1, 9_599, 9_600, 1_000_000].map(fastestKind)).toEqual(["exact", "exact", "ivf", "ivf"]);
  });
});
