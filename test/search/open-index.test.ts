import { describe, expect, it } from "vitest";
import { quantise } from "../../src/search/anchor-vectors.js";
import { buildIvfLists } from "../../src/search/ivf-build.js";
import { encodeIvfLists } from "../../src/search/ivf-format.js";
import { fastestKind, openAnchorIndex } from "../../src/search/open-index.js";
import { clusteredVectors } from "../contracts/clustered-vectors.js";

const vectors = quantise(clusteredVectors({ count: 1_000, dimensions: 16, queries: 0, seed: 4 }).rows, 16);

describe("opening an anchor index", () => {
  it("searches exactly where the set has no index file", () => {
    const { index, note } = openAnchorIndex({ vectors, ivf: undefined });
    expect(index).toMatchObject({ kind: "exact", size: 1_000, dimensions: 16 });
    expect(note).toBe("exact search of 1,000 anchors");
  });

  it("searches the IVF lists where the set has them", async () => {
    const bytes = encodeIvfLists(await buildIvfLists(vectors));
    const { index, note } = openAnchorIndex({ vectors, ivf: { bytes, name: "ivf.bin" } });
    expect(index).toMatchObject({ kind: "ivf", size: 1_000, dimensions: 16 });
    expect(note).toBe("IVF search of 1,000 anchors");
  });
});

describe("the fastest kind of index", () => {
  it("is exact search below 9,600 anchors and IVF from there", () => {
    expect([1, 9_599, 9_600, 1_000_000].map(fastestKind)).toEqual(["exact", "exact", "ivf", "ivf"]);
  });
});
