import { expect, it } from "vitest";
import { weightFigures } from "../../conversations/figures.js";

it("The value of a policy is its quality at the price of the cost weight, less the bill", () => {
  const one = { answers: 1, costUsd: 1, quality: 0.5, switches: 0, switchesInToolLoops: 0 };
  const better = [{ ...one, costUsd: 1.1, quality: 0.6 }];
  const outcomes = { off: [one], always: [one], locked: better, sticky: better };
  const valueAt = (costWeight: number) =>
    weightFigures(costWeight, outcomes).find(({ id }) => id.endsWith("sticky/value_gain"))?.value;
  // A point is worth two cents at 0.2, and an eighth of one at 0.5.
  expect(valueAt(0.2)).toBeCloseTo(0.1);
  expect(valueAt(0.5)).toBeCloseTo(-0.0875);
});
