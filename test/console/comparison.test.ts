import { describe, expect, it } from "vitest";
import { expectedCost, knownSum, promptsIn, weightOf } from "../../src/console/router/comparison.js";

const NAMED = [
  { model: "auto", cost_weight: 0.2 },
  { model: "auto:support", cost_weight: 0.5 },
];

describe("What a comparison is expected to cost", () => {
  it("is that of the choice at the weight of a name, or of the model itself", () => {
    expect(
      ["auto", "auto:support", "auto:.35", "auto:0", "gpt-5.4"].map((model) => weightOf(model, NAMED)),
    ).toEqual([...[0.2, 0.5, 0.35, 0, undefined]]);
    const explanation = {
      routing: {
        candidates: [
          { model: "gpt-5.4", expected_cost_usd: 0.02 },
          { model: "free", expected_cost_usd: null },
        ],
      },
      choices: [
        { from_cost_weight: 0, model: "gpt-5.4", expected_cost_usd: 0.02 },
        { from_cost_weight: 0.4, model: "small", expected_cost_usd: 0.001 },
      ],
    } as unknown as Parameters<typeof expectedCost>[0];
    const cost = (model: string) => expectedCost(explanation, { model, weight: weightOf(model, NAMED) });
    expect(["auto", "auto:support", "gpt-5.4"].map(cost)).toEqual([0.02, 0.001, 0.02]);
    expect(["free", "unknown"].map(cost)).toEqual([null, null]);
  });

  it("is the sum of what is known, and says how many are not", () => {
    expect(knownSum([0.02, null, 0.001])).toEqual({ usd: 0.021, unknown: 1 });
    expect(knownSum([])).toEqual({ usd: 0, unknown: 0 });
  });
});

it("Several prompts are separated by lines of dashes, or by blank lines where there are none", () => {
  expect(promptsIn("one\ntwo\n \n\nthree\n\none\ntwo\n")).toEqual(["one\ntwo", "three"]);
  expect(promptsIn("\none\n\ntwo\n---\r\nthree -- 3\n----\n")).toEqual(["one\n\ntwo", "three -- 3"]);
  expect(promptsIn(" \n")).toEqual([]);
});
