import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { decodeRow, quantise } from "../../src/search/anchor-vectors.js";
import { buildCells } from "../../src/search/cell-build.js";
import { serialiseCells } from "../../src/search/cell-format.js";
import { createCellIndex } from "../../src/search/cell-index.js";
import type { Cells } from "../../src/search/cells.js";
import { createExactIndex } from "../../src/search/exact.js";
import { anchorIndexContract } from "../contracts/anchor-index.contract.js";
import { clusteredVectors, unit } from "../contracts/clustered-vectors.js";

anchorIndexContract("the index by cells", async (vectors) =>
  createCellIndex(vectors, await buildCells(vectors)),
);

describe("the index by cells", () => {
  const data = clusteredVectors({ count: 12_000, dimensions: 64, queries: 60, seed: 21 });
  const vectors = quantise(data.rows, data.dimensions);
  const exact = createExactIndex(vectors);
  let cells: Cells;
  beforeAll(async () => {
    cells = await buildCells(vectors);
  });

  it("gives an anchor the very similarity the exact index gives it", () => {
    const index = createCellIndex(vectors, cells);
    for (const query of data.queries) {
      const all = exact.search(query, vectors.count);
      const similarityOf = new Map([...all.anchors].map((anchor, at) => [anchor, all.similarities[at]]));
      const { anchors, similarities } = index.search(query, 64);
      expect([...similarities]).toEqual(Array.from(anchors, (anchor) => similarityOf.get(anchor)));
    }
  });

  it("finds 98 % for queries among the anchors, and for those half-way between strangers", () => {
    const index = createCellIndex(vectors, cells);
    const strangers = Array.from({ length: 60 }, (_, place) => {
      const one = decodeRow(vectors, 200 * place);
      const other = decodeRow(vectors, (200 * place + 5_000) % 12_000);
      return unit(one.map((value, d) => value + (other[d] ?? 0)));
    });
    for (const queries of [data.queries, strangers]) {
      for (const k of [10, 64, 128, 400]) expect(recall(index, { queries, k })).toBeGreaterThanOrEqual(0.98);
    }
  });

  it("answers the same to the last bit with and without SIMD", () => {
    const simd = createCellIndex(vectors, cells, { kernel: "simd" });
    const plain = createCellIndex(vectors, cells, { kernel: "plain" });
    for (const query of data.queries.slice(0, 12)) {
      for (const k of [1, 64, 400]) expect(plain.search(query, k)).toEqual(simd.search(query, k));
    }
  });

  it("leaves cells unread that can hold nothing near", () => {
    const [query] = data.queries;
    const { anchors } = exact.search(query ?? new Float32Array(64), 1);
    // Were the cell of the nearest anchor said to lie opposite to it, nothing in it would be found.
    const codes = cells.means.codes.slice();
    const cell = cells.cellOf[anchors[0] ?? 0] ?? 0;
    for (let at = cell * 64; at < (cell + 1) * 64; at++) codes[at] = -(codes[at] ?? 0);
    const misled = createCellIndex(vectors, { ...cells, means: { ...cells.means, codes } });
    expect([...misled.search(query ?? new Float32Array(64), 128).anchors]).not.toContain(anchors[0]);
  });

  it("misses nothing when it may reach without bounds", () => {
    const without = { similarity: 0, deviations: 1e6 };
    const index = createCellIndex(vectors, { ...cells, reach: { among: without, apart: without } });
    for (const query of data.queries) expect(index.search(query, 64)).toEqual(exact.search(query, 64));
  });

  it("is made the same twice, and reports its progress", async () => {
    const progress: number[] = [];
    const again = await buildCells(vectors, { onProgress: (done) => progress.push(done) });
    expect(serialiseCells(again)).toEqual(serialiseCells(cells));
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(10);
  });

  it("stops being made when it is told to", async () => {
    await expect(buildCells(vectors, { signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });

  it("agrees with the scan on all anchors that it finds, in whatever way they are dealt", async () => {
    const small = quantise(clusteredVectors({ count: 400, dimensions: 8, queries: 0, seed: 2 }).rows, 8);
    const dealt = await buildCells(small);
    const scan = createExactIndex(small);
    const query = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })
      .map((values) => unit(Float32Array.from(values)));
    const dealing = fc.array(fc.integer({ min: 0, max: dealt.means.scales.length - 1 }), {
      minLength: 400,
      maxLength: 400,
    });
    const property = fc.property(query, dealing, fc.integer({ min: 0, max: 450 }), (vector, cellOf, k) => {
      const index = createCellIndex(small, { ...dealt, cellOf: Uint16Array.from(cellOf) });
      const truth = scan.search(vector, 400);
      const place = new Map([...truth.anchors].map((anchor, at) => [anchor, at]));
      const { anchors, similarities } = index.search(vector, k);
      const places = Array.from(anchors, (anchor) => place.get(anchor) ?? -1);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
      expect([...similarities]).toEqual(places.map((at) => truth.similarities[at]));
    });
    fc.assert(property, { numRuns: 100 });
  });

  function recall(
    index: ReturnType<typeof createCellIndex>,
    { queries, k }: { readonly queries: readonly Float32Array[]; readonly k: number },
  ): number {
    let found = 0;
    for (const query of queries) {
      const bar = exact.search(query, k).similarities.at(-1) ?? 1;
      found += index.search(query, k).similarities.filter((similarity) => similarity >= bar).length;
    }
    return found / (k * queries.length);
  }
});
