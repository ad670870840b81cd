import { describe, expect, it } from "vitest";
import { middlePrice, usualAgentUsd } from "../../../src/engine/estimation/bills.js";
import {
  agentTokens,
  type PaidSource,
  type PricedModel,
} from "../../../src/workbench/fitting/agent-bills.js";

const PRICE = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };
const modelsOf = (...bases: string[]): PricedModel[] =>
  bases.map((base) => ({ base, price: PRICE, thinkingTokens: 1000 }));
const paid = (model: number, source: number, usd: number, { ratio = 50, answers = 20 } = {}): PaidSource => ({
  model,
  source,
  usd,
  ratios: new Array<number>(answers).fill(ratio),
});
/** At the price of these tests, as public figures count. */
const PUBLIC_USD = 0.18 * middlePrice(PRICE) ** 0.7;
const usdOf = (tokens: number | undefined, price = PRICE): number =>
  ((tokens ?? Number.NaN) * middlePrice(price)) / 1e6;

describe("What a task of an agent costs", () => {
  it("is what was paid, drawn half way to other models by one source, and half way to public figures", () => {
    const tokens = agentTokens([paid(0, 0, 0.25), paid(1, 0, 4)], modelsOf("a", "b"));
    const level = (1 + PUBLIC_USD) / 2;
    expect(usdOf(tokens[0])).toBeCloseTo(0.5 * level, 2);
    expect(usdOf(tokens[1])).toBeCloseTo(2 * level, 2);
  });

  it("is the mean of dollars over sources and public figures", () => {
    const tokens = agentTokens([paid(0, 0, 0.1), paid(0, 1, 0.9)], modelsOf("a"));
    expect(usdOf(tokens[0])).toBeCloseTo((1 + PUBLIC_USD) / 3, 6);
  });

  it("is not read off sources whose answers cost as much as single ones, nor off a few answers", () => {
    const tokens = agentTokens(
      [paid(0, 0, 1), paid(1, 1, 0.01, { ratio: 1 }), paid(2, 0, 9, { answers: 4 })],
      modelsOf("a", "b", "c"),
    );
    expect(usdOf(tokens[0])).toBeCloseTo((1 + PUBLIC_USD) / 2, 6);
    expect(tokens[1]).toBeNaN();
    expect(tokens[2]).toBeNaN();
  });

  it("of another effort of the model differs by what it thinks", () => {
    const [medium, high] = modelsOf("a", "a") as [PricedModel, PricedModel];
    const tokens = agentTokens([paid(0, 0, 1)], [medium, { ...high, thinkingTokens: 4000 }]);
    expect(usdOf(tokens[1]) / usdOf(tokens[0])).toBeCloseTo(2, 9);
  });

  it("of a model without such bills follows its price and what it thinks", () => {
    const high = { inputUsdPerMtok: 4, outputUsdPerMtok: 16 };
    expect(usualAgentUsd(0.3, high, 1000) / usualAgentUsd(0.3, PRICE, 1000)).toBeCloseTo(4 ** 0.7, 9);
    expect(usualAgentUsd(0.3, PRICE, 4000) / usualAgentUsd(0.3, PRICE, 1000)).toBeCloseTo(2, 9);
    expect(usualAgentUsd(0.3, PRICE, 0)).toBe(usualAgentUsd(0.3, PRICE, 300));
  });
});
