import { expect, it } from "vitest";
import { sweepWeights } from "../../../src/workbench/evaluation/sweep-weights.js";

const swept = (quality: (costWeight: number) => number) => {
  const asked: number[] = [];
  const sweep = sweepWeights((costWeight) => {
    asked.push(costWeight);
    return { choice: costWeight, quality: quality(costWeight) };
  });
  return { asked, weights: sweep.map(({ costWeight }) => costWeight) };
};

it("sweepWeights decides at 21 cost weights where quality changes little between them", () => {
  const { weights } = swept((weight) => 0.9 - 0.1 * weight);
  expect(weights).toHaveLength(21);
  expect(weights.slice(0, 3)).toEqual([0, 0.05, 0.1]);
  expect(weights.at(-1)).toBe(1);
});

it("sweepWeights takes finer steps where quality changes, in order and none of them twice", () => {
  // As on a set of three models and 200 prompts: .935 at 0, .815 from .05 on.
  const { weights, asked } = swept((weight) => (weight < 0.02 ? 0.935 - 2 * weight : 0.815));
  expect(weights.filter((weight) => weight < 0.05)).toEqual([0, 0.00625, 0.0125, 0.01875, 0.025]);
  expect(weights).toEqual(weights.toSorted((a, b) => a - b));
  expect(new Set(asked).size).toBe(asked.length);
});

it("sweepWeights ends where quality changes everywhere", () => {
  const { weights } = swept((weight) => Math.sin(1000 * weight));
  expect(weights).toHaveLength(41);
});

it("sweepWeights decides once at a cost weight that it is to include", () => {
  for (const [including, length] of [
    [0.03, 22],
    [0.05, 21],
  ] as const) {
    const sweep = sweepWeights((choice) => ({ choice, quality: 0.9 - 0.1 * choice }), {
      including,
    });
    const weights = sweep.map(({ costWeight }) => costWeight);
    expect(weights).toHaveLength(length);
    expect(weights).toContain(including);
    expect(weights).toEqual(weights.toSorted((a, b) => a - b));
  }
});

it("sweepWeights adds as many cost weights as are allowed", () => {
  const sweep = sweepWeights((choice) => ({ choice, quality: Math.sin(1000 * choice) }), {
    mostAdded: 3,
  });
  expect(sweep).toHaveLength(24);
});
