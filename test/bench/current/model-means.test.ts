import { describe, expect, it } from "vitest";
import { isWithin, levelOf, setMeans, shareWithin, slopeOf } from "../../../bench/current/model-means.js";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";

const cell = (prompt: number, model: string, score: number) => ({
  prompt,
  model,
  score,
  samples: 1,
  tokensIn: null,
  tokensOut: null,
  costUsd: null,
});

describe("The model means of a set", () => {
  const prompts = ["p1", "p2"].map((id) => ({ id, benchmark: "b", category: "", text: id }));
  const set: SparseSet = {
    name: "set",
    sha256: "",
    prompts,
    cells: [cell(0, "a", 1), cell(1, "a", 0), cell(1, "b", 1), cell(0, "unknown", 1)],
  };
  const expectations = {
    models: ["a", "b"],
    quality: Float32Array.of(0.75, 0.25, 0.5, 1),
    stderr: Float32Array.of(0.125, 0, 0.375, 0.25),
  };

  it("compare each model over exactly the prompts that it was scored on", () => {
    const found = setMeans(set, expectations);
    expect(found.entries).toBe(3);
    expect(found.known).toMatchObject([
      { model: "a", prompts: 2, measured: 0.5, expected: 0.625, stderr: 0.25 },
      { model: "b", prompts: 1, measured: 1, expected: 1, stderr: 0.25 },
    ]);
  });

  it("compare models independently of who was scored on the easy prompts", () => {
    const [a, b] = setMeans(set, expectations).known;
    // Only the second prompt was given to both: means of .5 measured and .75 expected.
    expect(a?.adjusted).toEqual({ measured: -0.25, expected: -0.125 });
    expect(b?.adjusted).toEqual({ measured: 0.5, expected: 0.25 });
  });
});

describe("What is learned of a set that was left out", () => {
  const means = (expected: number, measured: number, prompts = 5) => ({
    model: "a",
    prompts,
    expected,
    measured,
    measuredVariance: 0,
    stderr: 0,
    adjusted: { expected: expected - 0.5, measured: measured - 0.5 },
  });

  it("is its level, in which a model counts by its prompts", () => {
    expect(levelOf([means(0.4, 0.8, 30), means(0.8, 0.4, 10)])).toEqual({ expected: 0.5, measured: 0.7 });
  });

  it("is the size of differences between models, but for those with fewer than five prompts", () => {
    const models = [means(0.4, 0.3), means(0.5, 0.5), means(0.6, 0.7), means(0.9, 0, 4)];
    expect(slopeOf(models)).toBeCloseTo(2);
  });
});

describe("The standard error of a mean", () => {
  it("combines the stated error and the measurement error", () => {
    const [measured, expected] = [0.5, 0.4];
    const adjusted = { measured, expected };
    const figures = { measured, measuredVariance: 0.08 ** 2, expected, stderr: 0.06, adjusted };
    const miss = { model: "a", prompts: 100, ...figures };
    expect(isWithin(miss, 1)).toBe(true);
    expect(isWithin({ ...miss, measuredVariance: 0 }, 1)).toBe(false);
    expect(shareWithin([miss, { ...miss, expected: 0.1 }], 1)).toBe(0.5);
  });
});
