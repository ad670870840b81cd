import { describe, expect, it } from "vitest";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { createExactIndex } from "../../../src/engine/search/exact-index.js";
import { openKernel } from "../../../src/engine/search/similarity.js";
import { anchorIndexContract } from "../../contracts/anchor-index.contract.js";
import { clusteredVectors, unit } from "../../contracts/clustered-vectors.js";

anchorIndexContract("the exact index", async (vectors) => createExactIndex(vectors));

describe("The exact index", () => {
  const data = clusteredVectors({ count: 1_237, dimensions: 250, queries: 5, seed: 5 });
  const vectors = quantise(data.rows, data.dimensions);

  it("deviates by less than 0.002 from the vectors before quantisation", () => {
    const index = createExactIndex(vectors);
    for (const query of data.queries) {
      const { anchors, similarities } = index.search(query, 1_237);
      for (const [at, anchor] of anchors.entries()) {
        const row = data.rows.subarray(anchor * 250, (anchor + 1) * 250);
        const truth = row.reduce((sum, value, d) => sum + value * (query[d] ?? 0), 0);
        expect(Math.abs((similarities[at] ?? 0) - truth)).toBeLessThan(0.002);
      }
    }
  });

  it("finds the best of thousands of nearly equal vectors", () => {
    const rows = new Float32Array(2 * 5_000);
    for (let row = 0; row < 5_000; row++)
      rows.set(unit(Float32Array.of(1, 0.5 + ((row * 7_919) % 5_000) * 1e-6)), 2 * row);
    rows.set([0, 1], 0);
    const index = createExactIndex(quantise(rows, 2));
    const { anchors, similarities } = index.search(Float32Array.of(0, 1), 300);
    expect(anchors[0]).toBe(0);
    const all = index.search(Float32Array.of(0, 1), 5_000);
    expect(all.anchors.subarray(0, 300)).toEqual(anchors);
    expect(all.similarities.subarray(0, 300)).toEqual(similarities);
  });

  it("supports dimensions whose sums would overflow 32 bits at full query precision", () => {
    const dimensions = 4_096;
    const flat = unit(new Float32Array(dimensions).fill(1));
    const { similarities } = createExactIndex(quantise(flat, dimensions)).search(flat, 1);
    expect(similarities[0]).toBeCloseTo(1, 3);
  });
});

describe("The similarity kernel", () => {
  const data = clusteredVectors({ count: 2_098, dimensions: 33, queries: 1, seed: 9 });
  const vectors = quantise(data.rows, data.dimensions);
  const query = data.queries[0] ?? new Float32Array(33);

  /** Each is that of the block's rows at a distance of four. */
  const expectPeaks = (peaks: Float32Array, read: Float32Array) => {
    for (let peak = 0; peak < 4 * Math.floor(read.length / 16); peak++) {
      const first = 16 * Math.floor(peak / 4) + (peak % 4);
      const covered = [0, 4, 8, 12].map((step) => read[first + step] ?? Number.NaN);
      expect(peaks[peak]).toBe(Math.max(...covered));
    }
  };

  it("reads some rows like a full scan, with the maximum of every whole block", () => {
    const kernel = openKernel(vectors);
    kernel.load(query);
    const whole = kernel.all();
    expectPeaks(whole.peaks, whole.similarities);
    const all = Float32Array.from(whole.similarities);
    const parts: readonly [first: number, rows: number][] = [
      [0, 1],
      [4, 16],
      [8, 33],
      [12, 2_000],
      [2_096, 2],
    ];
    for (const [first, rows] of parts) {
      const { similarities, peaks } = kernel.some(first, rows);
      const read = similarities.subarray(first, first + rows);
      expect(read, `from ${first}`).toEqual(all.subarray(first, first + rows));
      expectPeaks(peaks, read);
    }
  });
});
