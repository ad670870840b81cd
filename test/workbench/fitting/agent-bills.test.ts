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

/** What a source paid of a model's answers, each fifty times as much as a single answer unless it says otherwise. */
const paid = (model: number, source: number, { usd = 1, ratio = 50, answers = 20 } = {}): PaidSource => ({
  model,
  source,
  usd,
  ratios: new Array<number>(answers).fill(ratio),
});

/** At the price of these tests, as public figures count. */
const PUBLIC_USD = 0.18 * middlePrice(PRICE) ** 0.7;
const usdOf = (sources: readonly PaidSource[], models: readonly PricedModel[]): number[] =>
  [...agentTokens(sources, models)].map((tokens) => (tokens * middlePrice(PRICE)) / 1e6);

describe("What a task of an agent costs", () => {
  it("is what was paid, drawn half way to other models by one source, and half way to public figures", () => {
    const [cheap, dear] = usdOf([paid(0, 0, { usd: 0.25 }), paid(1, 0, { usd: 4 })], modelsOf("a", "b"));
    expect(cheap).toBeCloseTo((0.5 * (1 + PUBLIC_USD)) / 2, 2);
    expect(dear).toBeCloseTo((2 * (1 + PUBLIC_USD)) / 2, 2);
  });

  it("is the mean of dollars over sources and public figures", () => {
    const [mean] = usdOf([paid(0, 0, { usd: 0.1 }), paid(0, 1, { usd: 0.9 })], modelsOf("a"));
    expect(mean).toBeCloseTo((1 + PUBLIC_USD) / 3, 6);
  });

  it("is not read off sources whose answers cost as much as single ones, nor off a few answers", () => {
    const sources = [paid(0, 0), paid(1, 1, { usd: 0.01, ratio: 1 }), paid(2, 0, { usd: 9, answers: 4 })];
    const [known, ...unknown] = usdOf(sources, modelsOf("a", "b", "c"));
    expect(known).toBeCloseTo((1 + PUBLIC_USD) / 2, 6);
    expect(unknown).toEqual([Number.NaN, Number.NaN]);
  });

  it("of another effort of the model differs by what it thinks", () => {
    const [medium, high] = modelsOf("a", "a") as [PricedModel, PricedModel];
    const [usual, more] = usdOf([paid(0, 0)], [medium, { ...high, thinkingTokens: 4000 }]);
    expect((more as number) / (usual as number)).toBeCloseTo(2, 9);
  });

  it("of a model without such bills follows its price and what it thinks", () => {
    const high = { inputUsdPerMtok: 4, outputUsdPerMtok: 16 };
    expect(usualAgentUsd(0.3, high, 1000) / usualAgentUsd(0.3, PRICE, 1000)).toBeCloseTo(4 ** 0.7, 9);
    expect(usualAgentUsd(0.3, PRICE, 4000) / usualAgentUsd(0.3, PRICE, 1000)).toBeCloseTo(2, 9);
    expect(usualAgentUsd(0.3, PRICE, 0)).toBe(usualAgentUsd(0.3, PRICE, 300));
  });
});
