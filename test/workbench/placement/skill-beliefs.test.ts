import { describe, expect, it } from "vitest";
import type { FactorTest } from "../../../src/workbench/fitting/ability-factors.js";
import { SkillBeliefs } from "../../../src/workbench/placement/skill-beliefs.js";

const test = (loading: readonly number[]): FactorTest => ({
  intercept: 0,
  loading: Float64Array.from(loading),
  residualVariance: 0.5,
  covariance: new Float64Array(16),
});
const posterior = {
  mean: new Float64Array(3),
  covariance: Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1),
};
/** The first two topics need the same ability, the third another one. */
const TESTS = [test([1, 0, 0]), test([1, 0, 0]), test([0, 1, 0])];
const believe = (information: readonly number[]) => SkillBeliefs.of(TESTS, { posterior, information });

describe("SkillBeliefs", () => {
  it("knows more of a topic by its answers, of related ones a little more, of others nothing", () => {
    const beliefs = believe([0, 0, 0]);
    expect([0, 1, 2].map((topic) => beliefs.variance(topic))).toEqual([1.5, 1.5, 1.5]);
    beliefs.observe(0, 2);
    // Posterior of one normal observation with variance 1/2: 1.5 · .5 / 2, and 1.5 − 1² / 2.
    expect(beliefs.variance(0)).toBeCloseTo(0.375, 9);
    expect(beliefs.variance(1)).toBeCloseTo(1, 9);
    expect(beliefs.variance(2)).toBe(1.5);
  });

  it("does not depend on the order of the answers, and starts from those there are", () => {
    const [one, other] = [believe([0, 0, 0]), believe([0, 0, 0])];
    one.observe(0, 1);
    one.observe(1, 3);
    other.observe(1, 3);
    other.observe(0, 1);
    expect(one.variance(2)).toBe(other.variance(2));
    expect(one.variance(0)).toBeCloseTo(other.variance(0), 9);
    expect(believe([1, 3, 0]).variance(0)).toBeCloseTo(one.variance(0), 9);
  });

  it("leaves a copy as it is", () => {
    const beliefs = believe([0, 0, 0]);
    const copy = beliefs.copy();
    copy.observe(0, 5);
    expect(beliefs.variance(0)).toBe(1.5);
  });

  it("are divided into parts that share the topic's skill and deviate from it each by itself", () => {
    const parts = believe([0, 0, 0]).divided([0, 0, 2], [2, 2, 0]);
    expect([0, 1, 2].map((part) => parts.variance(part))).toEqual([3.5, 3.5, 1.5]);
    parts.observe(0, 2);
    // 3.5 · .5 / 4 and, of what the parts share, 3.5 − 1.5² / 4.
    expect(parts.variance(0)).toBeCloseTo(0.4375, 9);
    expect(parts.variance(1)).toBeCloseTo(3.5 - 2.25 / 4, 9);
    expect(parts.variance(2)).toBe(1.5);
  });
});
