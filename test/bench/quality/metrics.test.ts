import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import {
  brierScore,
  calibrationFloor,
  expectedCalibrationError,
} from "../../../src/workbench/metrics/calibration.js";
import { costSaved, gapClosed } from "../../../src/workbench/metrics/hull.js";

describe("The calibration error", () => {
  const count = 1500;
  /** 800 prompts expect .2, 700 expect .8, so that no bin holds both; of each, the shares that are given come true. */
  function forecasts(low: number, high: number) {
    const lows = 800;
    const expected = Float64Array.from({ length: count }, (_, index) => (index < lows ? 0.2 : 0.8));
    const seen = Float64Array.from({ length: count }, (_, index) => {
      const rank = index < lows ? index / lows : (index - lows) / (count - lows);
      return rank < (index < lows ? low : high) ? 1 : 0;
    });
    // Order must not matter: interleave the two halves and what comes true.
    const order = Array.from({ length: count }, (_, index) => index).sort(
      (a, b) => ((a * 7919) % count) - ((b * 7919) % count),
    );
    return {
      expected: Float64Array.from(order, (index) => expected[index] ?? 0),
      seen: Float64Array.from(order, (index) => seen[index] ?? 0),
    };
  }

  it("finds a planted error, and almost none where there is none", () => {
    expect(expectedCalibrationError(forecasts(0.2, 0.8))).toBeLessThan(0.05);
    expect(expectedCalibrationError(forecasts(0.3, 0.9))).toBeCloseTo(0.1, 1);
    expect(expectedCalibrationError(forecasts(1, 0))).toBeCloseTo(0.8);
  });

  it("comes with a Brier score, the mean squared distance", () => {
    expect(brierScore({ expected: Float64Array.of(0.5, 1), seen: Float64Array.of(1, 0) })).toBeCloseTo(0.625);
  });

  it("comes with the error that perfect forecasts show by chance, larger with fewer prompts", () => {
    const floor = (prompts: number) =>
      calibrationFloor(new Float64Array(prompts).fill(0.5), { random: seededRandom(1), draws: 20 });
    expect(floor(150)).toBeGreaterThan(0.08);
    expect(floor(15_000)).toBeLessThan(0.02);
  });
});

describe("CostSave", () => {
  const best = { cost: 10, quality: 0.8 };

  it("uses the cheapest setting within half a point of the best single model", () => {
    const points = [
      { cost: 2, quality: 0.7 },
      { cost: 4, quality: 0.7951 },
      { cost: 6, quality: 0.81 },
    ];
    expect(costSaved(points, best)).toBeCloseTo(0.6);
  });

  it("is negative when equal quality costs more, and undefined when it is not reached", () => {
    expect(costSaved([{ cost: 12, quality: 0.8 }], best)).toBeCloseTo(-0.2);
    expect(costSaved([{ cost: 1, quality: 0.79 }], best)).toBeNaN();
  });
});

describe("The share of the gap closed", () => {
  it("is 0 at the best single model, 1 at the oracle, negative below, and undefined without a gap", () => {
    const ends = { best: 0.6, oracle: 0.8 };
    expect([0.6, 0.8, 0.65, 0.5].map((quality) => gapClosed(quality, ends))).toEqual([
      0,
      1,
      expect.closeTo(0.25),
      expect.closeTo(-0.5),
    ]);
    expect(gapClosed(0.6, { best: 0.6, oracle: 0.6 })).toBeNaN();
  });
});
