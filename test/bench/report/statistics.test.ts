import { describe, expect, it } from "vitest";
import {
  adjustForMany,
  pairedDifference,
  quantile,
  unpairedDifference,
  upperTail,
} from "../../../bench/report/statistics.js";

describe("Student's t distribution", () => {
  it("has the tail probabilities of printed tables", () => {
    // t such that P(T > t) is 2.5 %, 5 % and 0.5 %.
    expect(upperTail(12.7062, 1)).toBeCloseTo(0.025, 5);
    expect(upperTail(2.015, 5)).toBeCloseTo(0.05, 4);
    expect(upperTail(2.75, 30)).toBeCloseTo(0.005, 4);
    expect(upperTail(1.959964, 1e7)).toBeCloseTo(0.025, 5);
  });
});

describe("The test of a difference", () => {
  it("removes the variation that both runs share by pairing", () => {
    const before = [1, 5, 9];
    const after = [1.1, 5.1, 9.1];
    const paired = pairedDifference(before, after);
    expect(paired.estimate).toBeCloseTo(0.1);
    expect(paired.standardError).toBeLessThan(1e-9);
    expect(unpairedDifference(before, after).standardError).toBeGreaterThan(1);
  });

  it("gives Welch's degrees of freedom", () => {
    const { estimate, standardError, degreesOfFreedom } = unpairedDifference([1, 2, 3, 4], [2, 4, 6, 8, 10]);
    expect(estimate).toBeCloseTo(3.5);
    expect(standardError).toBeCloseTo(Math.sqrt(5 / 12 + 2));
    expect(degreesOfFreedom).toBeCloseTo(5.5207, 3);
  });
});

describe("The correction for multiple tests", () => {
  it("adjusts as Holm does", () => {
    expect(adjustForMany([0.01, 0.04, 0.03]).map((chance) => Number(chance.toFixed(6)))).toEqual([
      0.03, 0.06, 0.06,
    ]);
  });
});

describe("Quantiles", () => {
  it("are interpolated between the nearest ranks", () => {
    expect([0, 0.25, 0.5, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([1, 1.75, 2.5, 4]);
    expect(quantile([], 0.5)).toBeNaN();
  });
});
