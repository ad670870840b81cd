import { describe, expect, it } from "vitest";
import { expectedImprovement } from "../../../src/workbench/set-report/anchor-decisions.js";

describe("expectedImprovement", () => {
  it("is the mean of max(x, 0) over a normal distribution", () => {
    for (const [mean, deviation] of [
      [0.1, 0.2],
      [-0.3, 0.1],
      [0, 1],
    ] as const) {
      let sum = 0;
      const step = 1e-3;
      for (let z = -8; z < 8; z += step)
        sum += (step * Math.max(0, mean + deviation * z) * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
      expect(expectedImprovement(mean, deviation)).toBeCloseTo(sum, 5);
    }
  });

  it("is the gain itself when nothing is uncertain", () => {
    expect(expectedImprovement(0.2, 0)).toBe(0.2);
    expect(expectedImprovement(-0.2, 0)).toBe(0);
  });
});
