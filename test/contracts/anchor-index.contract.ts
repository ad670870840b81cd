import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorIndex, Neighbours } from "../../src/engine/search/anchor-index.js";
import { type AnchorVectors, decodeRow, quantise } from "../../src/engine/search/anchor-vectors.js";
import { clusteredVectors, unit } from "./clustered-vectors.js";

export type MakeAnchorIndex = (vectors: AnchorVectors) => Promise<AnchorIndex>;

/** Rounding of the query, the similarity and the reference together. */
const ROUNDING = 1e-4;

/** What every implementation of `AnchorIndex` promises. `make` builds a fresh index. */
export function anchorIndexContract(name: string, make: MakeAnchorIndex): void {
  describe(`${name}, as an anchor index,`, () => {
    describe("on clustered vectors", () => recallAndOrder(make));
    describe("at the edges", () => edges(make));
    describe("on any vectors", () => properties(make));
  });
}

function recallAndOrder(make: MakeAnchorIndex): void {
  const data = clusteredVectors({ count: 2_000, dimensions: 64, queries: 25, seed: 11 });
  const vectors = quantise(data.rows, data.dimensions);
  const truths = data.queries.map((query) => naiveSimilarities(vectors, query));
  let index: AnchorIndex;
  beforeAll(async () => {
    index = await make(vectors);
  });

  it.each([1, 10, 64, 400])("finds at least 98 %% of the %i nearest anchors", (k) => {
    let found = 0;
    for (const [at, query] of data.queries.entries()) {
      // Of anchors that are equally near any may be among the k, so what counts is how near those found are.
      const threshold = (truths[at]?.toSorted((a, b) => b - a)[k - 1] ?? 0) - ROUNDING;
      found += index.search(query, k).similarities.filter((similarity) => similarity >= threshold).length;
    }
    expect(found / (k * data.queries.length)).toBeGreaterThanOrEqual(0.98);
  });

  it("returns the similarities of a double-precision scan, by similarity and then by anchor number", () => {
    for (const [at, query] of data.queries.slice(0, 10).entries()) {
      const neighbours = index.search(query, 400);
      expectTrueSimilarities(neighbours, truths[at] ?? []);
      expectOrdered(neighbours);
    }
  });

  it("is deterministic across calls and across builds", async () => {
    const second = await make(vectors);
    for (const query of data.queries.slice(0, 10)) {
      const first = index.search(query, 64);
      expect(index.search(query, 64)).toEqual(first);
      expect(second.search(query, 64)).toEqual(first);
    }
  });
}

function edges(make: MakeAnchorIndex): void {
  const query = Float32Array.of(0.6, 0.8, 0, 0);
  const indexOf = (...rows: readonly (readonly number[])[]) =>
    make(quantise(Float32Array.from(rows.flat()), 4));
  const x = [1, 0, 0, 0];
  const y = [0, 1, 0, 0];
  const z = [0, 0, 1, 0];

  it("reports its size and dimensions, and refuses a query of other dimensions", async () => {
    const index = await indexOf(x, y);
    expect(index).toMatchObject({ size: 2, dimensions: 4 });
    expect(() => index.search(new Float32Array(5), 1)).toThrow("5 dimensions");
  });

  it("returns all anchors when more are requested, and none when none are", async () => {
    expect([...(await indexOf(x, y, z)).search(query, 50).anchors]).toEqual([1, 0, 2]);
    const { anchors, similarities } = (await indexOf(y)).search(query, 5);
    expect([...anchors]).toEqual([0]);
    expect(similarities[0]).toBeCloseTo(0.8, 3);
    const nothing = { anchors: new Int32Array(0), similarities: new Float32Array(0) };
    expect((await indexOf(y)).search(query, 0)).toEqual(nothing);
  });

  it("lists duplicates in order of their anchor numbers", async () => {
    const index = await indexOf(...Array.from({ length: 300 }, (_, row) => (row % 3 === 0 ? y : z)));
    expect([...index.search(query, 100).anchors]).toEqual(Array.from({ length: 100 }, (_, at) => 3 * at));
  });

  it("returns equal similarities for a zero vector", async () => {
    const { anchors, similarities } = (await indexOf(x, z, y, x)).search(new Float32Array(4), 3);
    expect([...anchors]).toEqual([0, 1, 2]);
    expect([...similarities]).toEqual([0, 0, 0]);
  });

  it("keeps similarities within [−1, 1]", async () => {
    const index = await indexOf(x, [-1, 0, 0, 0]);
    expect([...index.search(Float32Array.from(x), 2).similarities]).toEqual([1, -1]);
  });
}

function properties(make: MakeAnchorIndex): void {
  const value = fc.double({ min: -1, max: 1, noNaN: true }).map(Math.fround);
  const sets = fc
    .record({ dimensions: fc.integer({ min: 1, max: 70 }), count: fc.integer({ min: 1, max: 60 }) })
    .chain(({ dimensions, count }) => {
      const row = fc
        .array(value, { minLength: dimensions, maxLength: dimensions })
        .map((values) => unit(Float32Array.from(values)));
      return fc.record({ rows: fc.array(row, { minLength: count, maxLength: count }), query: row });
    });

  it("returns the right number of anchors, in order, with correct similarities, and misses none that is nearer", async () => {
    const property = fc.asyncProperty(sets, fc.integer({ min: 1, max: 80 }), async ({ rows, query }, k) => {
      const flat = Float32Array.from(rows.flatMap((row) => [...row]));
      const vectors = quantise(flat, query.length);
      const neighbours = (await make(vectors)).search(query, k);
      const truth = naiveSimilarities(vectors, query);
      expect(neighbours.anchors).toHaveLength(Math.min(k, rows.length));
      expectOrdered(neighbours);
      expectTrueSimilarities(neighbours, truth);
      const worst = neighbours.similarities.at(-1) ?? 1;
      const returned = new Set(neighbours.anchors);
      const missed = truth.filter(
        (similarity, anchor) => !returned.has(anchor) && similarity > worst + ROUNDING,
      );
      expect(missed).toEqual([]);
    });
    // A fixed seed: the tolerance is of sums of rounded numbers.
    await fc.assert(property, { numRuns: 60, seed: 1 });
  });
}

/** The definition, in double precision over the stored rows: `[count]`. */
function naiveSimilarities(vectors: AnchorVectors, query: Float32Array): number[] {
  return Array.from({ length: vectors.count }, (_, anchor) => {
    const row = decodeRow(vectors, anchor);
    let sum = 0;
    for (let d = 0; d < row.length; d++) sum += (row[d] ?? 0) * (query[d] ?? 0);
    return sum;
  });
}

function expectTrueSimilarities({ anchors, similarities }: Neighbours, truth: readonly number[]): void {
  for (const [at, anchor] of anchors.entries()) {
    const expected = Math.max(-1, Math.min(1, truth[anchor] ?? Number.NaN));
    expect(Math.abs((similarities[at] ?? Number.NaN) - expected)).toBeLessThan(ROUNDING);
  }
}

function expectOrdered({ anchors, similarities }: Neighbours): void {
  expect(new Set(anchors).size).toBe(anchors.length);
  for (let at = 1; at < anchors.length; at++) {
    const step = (similarities[at - 1] ?? Number.NaN) - (similarities[at] ?? Number.NaN);
    expect(step).toBeGreaterThanOrEqual(0);
    if (step === 0) expect(anchors[at - 1]).toBeLessThan(anchors[at] ?? -1);
  }
}
