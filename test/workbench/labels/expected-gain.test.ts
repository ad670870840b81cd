import { describe, expect, it } from "vitest";
import { expectedImprovement, labelGain } from "../../../src/workbench/labels/expected-gain.js";
import { SkillBeliefs } from "../../../src/workbench/placement/skill-beliefs.js";

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

describe("labelGain", () => {
  const posterior = { mean: new Float64Array(3), covariance: new Float64Array(9) };
  const beliefsOf = (residualVariance: number) =>
    SkillBeliefs.of(
      [{ intercept: 0, loading: new Float64Array(3), residualVariance, covariance: new Float64Array(16) }],
      {
        posterior,
        information: [0],
      },
    );

  it("is at most what perfect answers would add, however uncertain the skills are", () => {
    const points = [{ topic: 0, margin: -0.45, most: 0.05, slope: 0.25 }];
    const gainAt = (variance: number) =>
      labelGain(points, { before: beliefsOf(variance), after: beliefsOf(variance / 2) });
    for (const variance of [0.1, 1, 10, 1000]) expect(gainAt(variance).atMost).toBeLessThan(0.05);
    expect(gainAt(10).atMost).toBeGreaterThan(0.005);
    expect(gainAt(10)).toMatchObject({ now: 0 });
  });
});
