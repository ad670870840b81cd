import { expect, it } from "vitest";
import { sweepWeights } from "../../../src/workbench/evaluation/sweep-weights.js";

const swept = (quality: (costWeight: number) => number, options?: Parameters<typeof sweepWeights>[1]) => {
  const asked: number[] = [];
  const sweep = sweepWeights((costWeight) => {
    asked.push(costWeight);
    return { choice: costWeight, quality: quality(costWeight) };
  }, options);
  const weights = sweep.map(({ costWeight }) => costWeight);
  expect(weights).toEqual(weights.toSorted((a, b) => a - b));
  expect(new Set(asked).size).toBe(asked.length);
  return weights;
};

const slowly = (weight: number) => 0.9 - 0.1 * weight;
const everywhere = (weight: number) => Math.sin(1000 * weight);

it("sweepWeights decides at 21 cost weights where quality changes little between them", () => {
  const weights = swept(slowly);
  expect(weights).toHaveLength(21);
  expect([...weights.slice(0, 3), weights.at(-1)]).toEqual([0, 0.05, 0.1, 1]);
});

it("sweepWeights takes finer steps where quality changes", () => {
  // As on a set of three models and 200 prompts: .935 at 0, .815 from .05 on.
  const weights = swept((weight) => (weight < 0.02 ? 0.935 - 2 * weight : 0.815));
  expect(weights.filter((weight) => weight < 0.05)).toEqual([0, 0.00625, 0.0125, 0.01875, 0.025]);
});

it("sweepWeights ends where quality changes everywhere, after as many cost weights as are allowed", () => {
  expect(swept(everywhere)).toHaveLength(41);
  expect(swept(everywhere, { mostAdded: 3 })).toHaveLength(24);
});

it.each([
  [0.03, 22],
  [0.05, 21],
])("sweepWeights decides once at %d, which it is to include: at %d weights", (including, count) => {
  const weights = swept(slowly, { including });
  expect(weights).toHaveLength(count);
  expect(weights).toContain(including);
});
