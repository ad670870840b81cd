import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorIndex } from "../../../src/engine/search/anchor-index.js";
import { decodeRow, quantise } from "../../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../../src/engine/search/exact-index.js";
import { buildIvfLists } from "../../../src/engine/search/ivf-build.js";
import { createIvfIndex } from "../../../src/engine/search/ivf-index.js";
import { encodeIvfLists, type IvfLists } from "../../../src/engine/search/ivf-lists.js";
import { anchorIndexContract } from "../../contracts/anchor-index.contract.js";
import { clusteredVectors, unit } from "../../contracts/clustered-vectors.js";
import { batchClock } from "../../fakes/batch-clock.js";

anchorIndexContract("the IVF index", async (vectors) =>
  createIvfIndex(vectors, await buildIvfLists(vectors)),
);

describe("the IVF index", () => {
  const data = clusteredVectors({ count: 9_600, dimensions: 32, queries: 40, seed: 21 });
  const vectors = quantise(data.rows, data.dimensions);
  const exact = createExactIndex(vectors);
  let lists: IvfLists;
  let index: AnchorIndex;
  beforeAll(async () => {
    lists = await buildIvfLists(vectors);
    index = await createIvfIndex(vectors, lists);
  });

  it("is made in steps, between which other work of the thread runs", async () => {
    const { clock, batches } = batchClock();
    await createIvfIndex(vectors, lists, { clock });
    expect(batches()).toBeGreaterThan(100);
  });

  it("returns the same similarity for an anchor as the exact index", () => {
    for (const query of data.queries) {
      const all = exact.search(query, vectors.count);
      const similarityOf = new Map([...all.anchors].map((anchor, at) => [anchor, all.similarities[at]]));
      const { anchors, similarities } = index.search(query, 64);
      expect([...similarities]).toEqual(Array.from(anchors, (anchor) => similarityOf.get(anchor)));
    }
  });

  it("finds 98 % of the neighbours for queries near anchors, and for those half-way between unrelated anchors", () => {
    const unrelated = Array.from({ length: 60 }, (_, index) => {
      const one = decodeRow(vectors, 160 * index);
      const other = decodeRow(vectors, (160 * index + 5_000) % 9_600);
      return unit(one.map((value, d) => value + (other[d] ?? 0)));
    });
    for (const queries of [data.queries, unrelated]) {
      for (const k of [10, 64, 128, 400]) expect(recall({ queries, k })).toBeGreaterThanOrEqual(0.98);
    }
  });

  it("skips lists that cannot contain a near anchor", async () => {
    const [query] = data.queries;
    const { anchors } = exact.search(query ?? new Float32Array(32), 1);
    // A centroid opposite to the query: its list is skipped, and the nearest anchor with it.
    const codes = lists.centroids.codes.slice();
    const list = lists.listOf[anchors[0] ?? 0] ?? 0;
    for (let at = list * 32; at < (list + 1) * 32; at++) codes[at] = -(codes[at] ?? 0);
    const misled = await createIvfIndex(vectors, { ...lists, centroids: { ...lists.centroids, codes } });
    expect([...misled.search(query ?? new Float32Array(32), 128).anchors]).not.toContain(anchors[0]);
  });

  it("finds all neighbours when the probe bound is unlimited", async () => {
    const unlimited = { similarity: 0, deviations: 1e6 };
    const whole = await createIvfIndex(vectors, {
      ...lists,
      probeBound: { inDistribution: unlimited, outOfDistribution: unlimited },
    });
    for (const query of data.queries) expect(whole.search(query, 64)).toEqual(exact.search(query, 64));
  });

  it("is built deterministically, and reports its progress", async () => {
    const progress: number[] = [];
    const again = await buildIvfLists(vectors, { onProgress: (done) => progress.push(done) });
    expect(encodeIvfLists(again)).toEqual(encodeIvfLists(lists));
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.length).toBeGreaterThan(10);
  });

  it("stops building when it is aborted", async () => {
    await expect(buildIvfLists(vectors, { signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });

  it("agrees with a full scan on the anchors that it finds, for any partition", async () => {
    const small = quantise(clusteredVectors({ count: 400, dimensions: 8, queries: 0, seed: 2 }).rows, 8);
    const built = await buildIvfLists(small);
    const scan = createExactIndex(small);
    const query = fc
      .array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 8, maxLength: 8 })
      .map((values) => unit(Float32Array.from(values)));
    const list = fc.integer({ min: 0, max: built.centroids.scales.length - 1 });
    const assignment = fc.array(list, { minLength: 400, maxLength: 400 });
    const count = fc.integer({ min: 0, max: 450 });
    const property = fc.asyncProperty(query, assignment, count, async (vector, listOf, k) => {
      const index = await createIvfIndex(small, { ...built, listOf: Uint16Array.from(listOf) });
      const truth = scan.search(vector, 400);
      const rank = new Map([...truth.anchors].map((anchor, at) => [anchor, at]));
      const { anchors, similarities } = index.search(vector, k);
      const ranks = Array.from(anchors, (anchor) => rank.get(anchor) ?? -1);
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
      expect([...similarities]).toEqual(ranks.map((at) => truth.similarities[at]));
    });
    await fc.assert(property, { numRuns: 20, seed: 1 });
  });

  function recall({ queries, k }: { readonly queries: readonly Float32Array[]; readonly k: number }): number {
    let found = 0;
    for (const query of queries) {
      const threshold = exact.search(query, k).similarities.at(-1) ?? 1;
      found += index.search(query, k).similarities.filter((similarity) => similarity >= threshold).length;
    }
    return found / (k * queries.length);
  }
});
