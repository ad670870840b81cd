import { describe, expect, it } from "vitest";
import { intrinsicDimension } from "../../../bench/latency/anchors.js";
import { quantise } from "../../../src/engine/search/anchor-vectors.js";
import { noise } from "../report/results-for-test.js";

/** Unit vectors of 64 dimensions that lie on a sphere of `dimension` of them. */
function onSphere(count: number, dimension: number) {
  const draw = noise(dimension);
  const rows = new Float32Array(count * 64);
  for (let row = 0; row < count; row++) {
    const values = Array.from({ length: dimension + 1 }, draw);
    const length = Math.hypot(...values);
    rows.set(
      values.map((value) => value / length),
      row * 64,
    );
  }
  return quantise(rows, 64);
}

describe("The dimension of a vector set", () => {
  it.each([4, 8, 12])("is found: %i", (dimension) => {
    const found = intrinsicDimension(onSphere(3_000, dimension), { sample: 3_000, seed: 1 });
    expect(Math.abs(found - dimension) / dimension).toBeLessThan(0.25);
  });
});
