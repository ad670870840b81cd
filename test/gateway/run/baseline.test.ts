import { describe, expect, it } from "vitest";
import type { Price } from "../../../src/engine/catalog/models/price.js";
import { NO_PARTS, type TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { costsOf } from "../../../src/gateway/run/cost.js";
import { type ComparedAnswer, type CostBaseline, savingsAgainst } from "../../../src/gateway/run/savings.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { USAGE } from "../traces/trace-for-test.js";

const LARGE = priceOf(1.25, 10, { cachedInputUsdPerMtok: 0.125 });
const SMALL = priceOf(0.05, 0.4, { cachedInputUsdPerMtok: 0.005 });

const baselineWith = (price: Price | null): CostBaseline => ({
  model: "large",
  deployment: deploymentOf("openai", "large", { price }),
  promptCache: { mode: "automatic", minimumTokens: 1024, stepTokens: 128, lifetimeMs: 300_000 },
});

const tokensOf = (counts: Partial<TokenUsage>): TokenUsage => {
  return { ...NO_PARTS, promptTokens: 0, completionTokens: 0, ...counts };
};

function answerWith(
  tokens: TokenUsage,
  price: Price | null,
  others: Partial<ComparedAnswer> = {},
): ComparedAnswer {
  const { total_cost_usd: costUsd } = costsOf(tokens, price);
  const counts = { prompt_tokens: tokens.promptTokens, completion_tokens: tokens.completionTokens };
  const bill = { costUsd, unpriced: costUsd === null ? 1 : 0 };
  return { usage: { ...USAGE, ...counts }, tokens, bill, movedFrom: undefined, ...others };
}

const PREVIOUS = {
  model: "other",
  provider: "openai",
  promptTokens: 1500,
  billedTokens: 2000,
  reportedTokens: 0,
  ageMs: 1000,
  inToolLoop: false,
};

describe("What an answer saved against the baseline", () => {
  it("is the baseline's price of the same tokens and caches, less what was billed", () => {
    const tokens = tokensOf({ promptTokens: 3000, cacheReadTokens: 1000, completionTokens: 500 });
    expect(savingsAgainst(baselineWith(LARGE), answerWith(tokens, SMALL))).toEqual({
      baseline_model: "large",
      // 2,000 · 1.25 + 1,000 · .125 + 500 · 10, and 2,000 · .05 + 1,000 · .005 + 500 · .4 millionths
      baseline_cost_usd: 0.007_625,
      saved_usd: 0.007_625 - 0.000_305,
      lost_cache_tokens: 0,
    });
  });

  it("prices the baseline also where the provider says what the answer cost", () => {
    const tokens = tokensOf({ promptTokens: 1000, completionTokens: 100, costUsd: 0.5 });
    const savings = savingsAgainst(baselineWith(LARGE), answerWith(tokens, null));
    expect(savings).toMatchObject({ baseline_cost_usd: 0.002_25, saved_usd: -0.497_75 });
  });

  it("is negative where the model that answered costs more", () => {
    const tokens = tokensOf({ promptTokens: 1000, completionTokens: 100 });
    const savings = savingsAgainst(baselineWith(SMALL), answerWith(tokens, LARGE));
    expect(savings?.saved_usd).toBeCloseTo(-0.002_16, 12);
  });

  it("counts failed calls of the request as billed", () => {
    const tokens = tokensOf({ promptTokens: 1000, completionTokens: 100 });
    const answer = answerWith(tokens, SMALL);
    const bill = { ...answer.bill, costUsd: 0.01 + (answer.bill.costUsd ?? 0) };
    const savings = savingsAgainst(baselineWith(LARGE), { ...answer, bill });
    expect(savings?.saved_usd).toBeCloseTo(0.002_25 - 0.01 - 0.000_09, 12);
  });

  it("counts the cache that a change of models lost, by the rule of the baseline's provider", () => {
    const tokens = tokensOf({ promptTokens: 2500, completionTokens: 100 });
    const savings = savingsAgainst(baselineWith(LARGE), answerWith(tokens, SMALL, { movedFrom: PREVIOUS }));
    // 2,000 tokens in steps of 128: 1,920
    expect(savings).toMatchObject({
      lost_cache_tokens: 1920,
      baseline_cost_usd: (580 * 1.25 + 1920 * 0.125 + 100 * 10) / 1e6,
    });
  });

  it.each([
    ["the answer before is too long ago", { ...PREVIOUS, ageMs: 300_001 }],
    ["its prompt was too short to be cached", { ...PREVIOUS, billedTokens: 1000 }],
    ["the request begins with another prompt", { ...PREVIOUS, promptTokens: 0 }],
  ])("counts no lost cache where %s", (_, movedFrom) => {
    const tokens = tokensOf({ promptTokens: 2500, completionTokens: 100 });
    const savings = savingsAgainst(baselineWith(LARGE), answerWith(tokens, SMALL, { movedFrom }));
    expect(savings?.lost_cache_tokens).toBe(0);
  });

  it.each([
    ["the baseline has no price", baselineWith(null), {}],
    ["a call has no price", baselineWith(LARGE), { price: null }],
    ["a service tier has no price at the baseline's provider", baselineWith(LARGE), { serviceTier: "scale" }],
    ["the baseline has no price for a tool", baselineWith(LARGE), { hostedCalls: { web_search: 1 } }],
  ])("is not known where %s", (_, baseline, { price = SMALL, ...counts }: Record<string, unknown>) => {
    const tokens = tokensOf({ promptTokens: 10, completionTokens: 1, ...counts });
    expect(savingsAgainst(baseline, answerWith(tokens, price as Price | null))).toBeUndefined();
  });
});
