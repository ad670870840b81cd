import { describe, expect, it } from "vitest";
import {
  isWithin,
  type ModelMeans,
  setMeans,
  shareWithin,
  variantsToldApart,
} from "../../../bench/current/model-means.js";
import { rankFigures } from "../../../bench/current/rank-figures.js";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";

function means(model: string, { measured, expected }: { measured: number; expected: number }): ModelMeans {
  return {
    model,
    prompts: 100,
    measured,
    measuredVariance: 0.0001,
    expected,
    stderr: 0.05,
    adjusted: { measured, expected },
  };
}

const cell = (prompt: number, model: string, score: number) => ({
  ...{ prompt, model, score, samples: 1 },
  ...{ tokensIn: null, tokensOut: null, costUsd: null },
});

describe("The model means of a set", () => {
  const prompts = ["p1", "p2"].map((id) => ({ id, benchmark: "b", category: "", text: id }));
  const set: SparseSet = {
    ...{ name: "set", sha256: "", prompts },
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
    expect(
      found.known.map(({ model, prompts, measured, expected, stderr }) => [
        model,
        prompts,
        measured,
        expected,
        stderr,
      ]),
    ).toEqual([
      ["a", 2, 0.5, 0.625, 0.25],
      ["b", 1, 1, 1, 0.25],
    ]);
  });

  it("compare models independently of who was scored on the easy prompts", () => {
    const [a, b] = setMeans(set, expectations).known;
    // Only the second prompt was given to both: means of .5 measured and .75 expected.
    expect(a?.adjusted).toEqual({ measured: -0.25, expected: -0.125 });
    expect(b?.adjusted).toEqual({ measured: 0.5, expected: 0.25 });
  });
});

describe("The rank correlation of means", () => {
  const rising = [0.2, 0.4, 0.6, 0.8].map((value) =>
    means(`m${value}`, { measured: value, expected: value / 2 }),
  );

  it("is reported with and without the set that has a different judge", () => {
    const falling = rising.map((point) => ({ ...point, expected: -point.expected }));
    const sets = [
      { set: "openhands_index", entries: 5, known: rising },
      { set: "zoonk_evals", entries: 4, known: falling },
    ];
    const figures = rankFigures(sets, { id: "left_out", what: "sets left out", goal: 0.6 });
    const figureValue = (id: string) =>
      figures.find((figure) => figure.id === `current/left_out/${id}`)?.value;
    expect(figureValue("spearman")).toBeCloseTo(0);
    expect(figureValue("spearman_without_zoonk")).toBeCloseTo(1);
    expect(figureValue("known")).toBeCloseTo(8 / 9);
  });
});

describe("The standard error of a mean", () => {
  it("combines the stated error and the measurement error", () => {
    const miss = {
      ...means("a", { measured: 0.5, expected: 0.4 }),
      stderr: 0.06,
      measuredVariance: 0.08 ** 2,
    };
    expect(isWithin(miss, 1)).toBe(true);
    expect(isWithin({ ...miss, measuredVariance: 0 }, 1)).toBe(false);
    expect(shareWithin([miss, { ...miss, expected: 0.1 }], 1)).toBe(0.5);
  });
});

describe("Variants of one model", () => {
  it("count as distinguished when the one that measures better is expected to be better", () => {
    const known = [
      means("gpt:high", { measured: 0.9, expected: 0.8 }),
      means("gpt:low", { measured: 0.5, expected: 0.6 }),
      means("gpt", { measured: 0.51, expected: 0.9 }),
      means("other", { measured: 0.1, expected: 0.9 }),
    ];
    // `gpt:low` and `gpt` measure alike, and `other` is another model.
    expect(variantsToldApart(known)).toEqual({ pairs: 2, right: 1 });
  });
});
