import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  costAdjustedScore,
  meaningOf,
  tradeOffAt,
  usdPerPoint,
  weightFor,
} from "../../../src/engine/router/cost-weight.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
/** Mean costs of a request at the 21 steps, from 3 cents to a tenth of a cent; nothing falls in between. */
const MEAN_COSTS = Array.from({ length: 21 }, (_, step) => 0.03 * 30 ** (-Math.min(15, step) / 15));

describe("A cost weight", () => {
  it.each([
    [0, Number.POSITIVE_INFINITY],
    [0.1, 0.10125],
    [0.2, 0.02],
    [0.5, 0.00125],
    [1, 0],
    [7, 0],
  ])("of %f is a price of $%f for a hundredth of quality", (costWeight, usd) => {
    expect(usdPerPoint(costWeight)).toBeCloseTo(usd, 12);
  });

  it("is a lower price the higher it is, at which quality and cost weigh the same, down to the least weight", () => {
    fc.assert(
      fc.property(between(5e-324, 0.999), between(5e-324, 0.999), between(0, 1), (a, b, quality) => {
        const [low, high] = [Math.min(a, b), Math.max(a, b)];
        expect(usdPerPoint(high)).toBeLessThanOrEqual(usdPerPoint(low));
        const tradeOff = tradeOffAt(high);
        const [free, paid] = [0, usdPerPoint(high)].map((costUsd) =>
          costAdjustedScore(tradeOff, { quality: quality + (costUsd > 0 ? 0.01 : 0), costUsd }),
        );
        if (Number.isFinite(usdPerPoint(high))) expect(paid).toBeCloseTo(free as number, 9);
        expect(free).not.toBeNaN();
      }),
      FIXED_CASES,
    );
  });

  it("means the mean cost that was measured, between the steps on a line, and nothing without prices", () => {
    expect(meaningOf(0.2, MEAN_COSTS)).toEqual({ meanCostUsd: MEAN_COSTS[4], usdPerPoint: usdPerPoint(0.2) });
    const middle = ((MEAN_COSTS[4] as number) + (MEAN_COSTS[5] as number)) / 2;
    expect(meaningOf(0.225, MEAN_COSTS)?.meanCostUsd).toBeCloseTo(middle, 12);
    expect([1, 3].map((weight) => meaningOf(weight, MEAN_COSTS)?.meanCostUsd)).toEqual([
      MEAN_COSTS[20],
      MEAN_COSTS[20],
    ]);
    expect(meaningOf(0.2, null)).toBeNull();
  });

  it("is found for a mean cost as the lowest that keeps to it: 0 where any does, 1 where none does", () => {
    fc.assert(
      fc.property(between(0.001, 0.03), (most) => {
        const found = weightFor(most, MEAN_COSTS);
        expect(meaningOf(found, MEAN_COSTS)?.meanCostUsd).toBeCloseTo(most, 9);
        expect(found).toBeLessThanOrEqual(0.75);
      }),
      FIXED_CASES,
    );
    expect([1, 0.0001].map((most) => weightFor(most, MEAN_COSTS))).toEqual([0, 1]);
    expect(weightFor(0.001, [0.001, 0.001])).toBe(0);
  });
});
