import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allocateAnchorVectors, decodeRow, quantise } from "../../../src/engine/search/anchor-vectors.js";
import { unit } from "../../contracts/clustered-vectors.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

describe("Anchor vectors", () => {
  it("are restored with little quantisation error and with their norm", () => {
    const value = fc.double({ min: -1, max: 1, noNaN: true });
    const rows = fc
      .array(value, { minLength: 8, maxLength: 300 })
      .map((values) => unit(Float32Array.from(values)));
    fc.assert(
      fc.property(rows, (row) => {
        const vectors = quantise(row, row.length);
        const decoded = decodeRow(vectors, 0);
        const largest = Math.max(...row.map(Math.abs));
        expect(Math.hypot(...decoded)).toBeCloseTo(Math.hypot(...row), 5);
        row.forEach((before, d) => {
          expect(Math.abs((decoded[d] ?? Number.NaN) - before)).toBeLessThanOrEqual((0.6 / 127) * largest);
        });
      }),
      FIXED_CASES,
    );
  });

  it("keep a row of zeros", () => {
    const vectors = quantise(new Float32Array(6), 3);
    expect([...vectors.scales]).toEqual([0, 0]);
    expect([...decodeRow(vectors, 1)]).toEqual([0, 0, 0]);
  });

  it("can be read in place from a file's bytes", () => {
    const written = quantise(Float32Array.of(0.6, 0.8, 1, 0), 2);
    const read = allocateAnchorVectors(2, 2);
    read.codes.set(written.codes);
    read.scales.set(written.scales);
    expect(decodeRow(read, 0)).toEqual(decodeRow(written, 0));
  });

  it("refuse values that are not finite and incomplete rows", () => {
    expect(() => quantise(Float32Array.of(1, Number.NaN), 2)).toThrow("anchor 0 holds NaN");
    expect(() => quantise(new Float32Array(7), 2)).toThrow("no whole number of rows");
  });

  it("refuse impossible sizes before reserving memory", () => {
    expect(() => allocateAnchorVectors(0, 4)).toThrow("count must be at least 1, not 0");
    expect(() => allocateAnchorVectors(4, 2.5)).toThrow("dimensions must be at least 1, not 2.5");
    expect(() => allocateAnchorVectors(20_000_000, 256)).toThrow("more than one set can hold");
  });
});
