import { beforeAll, describe, expect, it } from "vitest";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { buildIvfLists } from "../../../src/engine/search/ivf-build.js";
import { decodeIvfLists, encodeIvfLists, type IvfLists } from "../../../src/engine/search/ivf-lists.js";
import { encodeSections } from "../../../src/foundation/section-file.js";
import { clusteredVectors } from "../../contracts/clustered-vectors.js";

describe("The file of IVF lists", () => {
  const vectors = quantise(clusteredVectors({ count: 900, dimensions: 16, queries: 0, seed: 6 }).rows, 16);
  const decode = (bytes: Uint8Array) => decodeIvfLists(bytes, { vectors, name: "ivf.bin" });
  let lists: IvfLists;
  let bytes: Uint8Array;
  beforeAll(async () => {
    lists = await buildIvfLists(vectors);
    bytes = encodeIvfLists(lists);
  });

  it("restores the written lists", () => {
    expect(decode(bytes)).toEqual(lists);
  });

  it("is refused when it is damaged or truncated anywhere", () => {
    for (let at = 0; at < bytes.length; at += 97) {
      // Not `slice`, which copies no bytes of a Buffer.
      const damaged = Uint8Array.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      expect(() => decode(damaged), `byte ${at}`).toThrow("ivf.bin");
      expect(() => decode(bytes.subarray(0, at)), `${at} bytes`).toThrow("ivf.bin");
    }
  });

  it("is refused for lists that do not match the vectors", () => {
    const message = "ivf.bin does not fit the 900 anchors of 16 dimensions. Build the set again.";
    const missingList = { ...lists, listOf: lists.listOf.map(() => 60_000) };
    expect(() => decode(encodeIvfLists(missingList))).toThrow(message);
    const fewer = { ...lists, listOf: lists.listOf.subarray(1) };
    expect(() => decode(encodeIvfLists(fewer))).toThrow(message);
  });

  it("is refused when it has another format", () => {
    const other = encodeSections({ facts: {}, sections: { codes: lists.centroids.codes } });
    expect(() => decode(other)).toThrow("ivf.bin does not hold IVF lists. Build the set again.");
  });
});
