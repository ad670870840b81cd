import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  averageImprovement,
  type CostQuality,
  qualityAt,
  risingHull,
} from "../../../src/workbench/metrics/hull.js";

const at = (cost: number, quality: number): CostQuality => ({ cost, quality });

describe("The non-decreasing convex hull", () => {
  it("drops points that are more expensive and no better, and points that a mix of two others beats", () => {
    const points = [at(1, 0.2), at(2, 0.3), at(3, 0.8), at(4, 0.7), at(5, 0.9), at(2, 0.25)];
    expect(risingHull(points)).toEqual([at(1, 0.2), at(3, 0.8), at(5, 0.9)]);
  });

  it("is nowhere below any of the points", () => {
    const point = fc.record({
      cost: fc.double({ min: 0.001, max: 10, noNaN: true }),
      quality: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 12 }), (points) => {
        const hull = risingHull(points);
        for (const { cost, quality } of points) {
          expect(qualityAt(hull, cost)).toBeGreaterThanOrEqual(quality - 1e-9);
        }
      }),
    );
  });
});

describe("AIQ", () => {
  const singles = [at(1, 0.4), at(3, 0.8)];

  it("of a router as good as the best at the price of the cheapest is the best quality", () => {
    expect(averageImprovement([at(1, 0.8)], singles)).toBeCloseTo(0.8);
  });

  it("is the area under a frontier with several points", () => {
    // (1, .4) to (2, .8), then flat: half of the range at a mean of .6, half at .8.
    expect(averageImprovement([at(2, 0.8)], singles)).toBeCloseTo(0.7);
  });
});
