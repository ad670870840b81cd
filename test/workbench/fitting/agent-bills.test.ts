import { describe, expect, it } from "vitest";
import { middlePrice, usualAgentUsd } from "../../../src/engine/estimation/bills.js";
import { agentTokens, type PaidSource } from "../../../src/workbench/fitting/agent-bills.js";

const PRICE = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };
const paid = (
  model: number,
  source: number,
  usd: number,
  { ratio = 50, answers = 20, price = PRICE } = {},
): PaidSource => ({ model, source, usd, price, ratios: new Array<number>(answers).fill(ratio) });
const usdOf = (tokens: number | undefined, price = PRICE): number =>
  ((tokens ?? Number.NaN) * middlePrice(price)) / 1e6;

describe("What a task of an agent costs", () => {
  it("is what was paid, drawn half way to other models by one source", () => {
    const tokens = agentTokens([paid(0, 0, 0.25), paid(1, 0, 4)], 2);
    expect(usdOf(tokens[0])).toBeCloseTo(0.5, 2);
    expect(usdOf(tokens[1])).toBeCloseTo(2, 2);
  });

  it("is the mean of dollars over sources", () => {
    const tokens = agentTokens([paid(0, 0, 0.1), paid(0, 1, 0.9)], 1);
    expect(usdOf(tokens[0])).toBeCloseTo(0.5, 6);
  });

  it("is not read off sources whose answers cost as much as single ones, nor off a few answers", () => {
    const tokens = agentTokens(
      [paid(0, 0, 1), paid(1, 1, 0.01, { ratio: 1 }), paid(2, 0, 9, { answers: 4 })],
      3,
    );
    expect(usdOf(tokens[0])).toBeCloseTo(1, 6);
    expect(tokens[1]).toBeNaN();
    expect(tokens[2]).toBeNaN();
  });

  it("of a model without such bills follows the root of its price", () => {
    const dear = { inputUsdPerMtok: 4, outputUsdPerMtok: 16 };
    expect(usualAgentUsd(0.3, dear) / usualAgentUsd(0.3, PRICE)).toBeCloseTo(2, 9);
  });
});
