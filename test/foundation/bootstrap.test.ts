import { describe, expect, it } from "vitest";
import { bootstrapEstimates } from "../../src/foundation/bootstrap.js";
import { seededRandom } from "../../src/foundation/random.js";
import { weightedMean } from "../../src/workbench/metrics/choices.js";

const values = Float64Array.from({ length: 400 }, seededRandom(7));
const noise = Float64Array.from({ length: 400 }, seededRandom(8));

describe("bootstrapEstimates", () => {
  it("gives the value and an interval as wide as the standard error says", () => {
    const { mean } = bootstrapEstimates(values.length, { mean: (weights) => weightedMean(values, weights) });
    const exact = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - exact) ** 2, 0) / (values.length - 1);
    const width = 2 * 1.96 * Math.sqrt(variance / values.length);
    expect(mean.value).toBeCloseTo(exact, 12);
    expect(Math.abs((mean.high - mean.low) / width - 1)).toBeLessThan(0.15);
  });

  it("draws the same prompts for all figures, so that differences are paired", () => {
    const shifted = values.map((value) => value + 1);
    const { difference } = bootstrapEstimates(values.length, {
      difference: (weights) => weightedMean(shifted, weights) - weightedMean(values, weights),
    });
    expect(difference.high - difference.low).toBeLessThan(1e-9);
    const unpaired = bootstrapEstimates(values.length, {
      difference: (weights) => weightedMean(noise, weights) - weightedMean(values, weights),
    });
    expect(unpaired.difference.high - unpaired.difference.low).toBeGreaterThan(0.05);
  });

  it("is the same for the same seed, and has no interval for a figure that is unknown", () => {
    const statistics = { mean: (weights: ArrayLike<number>) => weightedMean(values, weights) };
    expect(bootstrapEstimates(400, statistics, { seed: 3 })).toEqual(
      bootstrapEstimates(400, statistics, { seed: 3 }),
    );
    const unknown = { value: Number.NaN, low: Number.NaN, high: Number.NaN };
    expect(bootstrapEstimates(400, { none: () => Number.NaN }).none).toEqual(unknown);
  });
});
