import { describe, expect, it } from "vitest";
import { mergedUsage, toTokenUsage } from "../../../src/gateway/providers/anthropic/reply.js";
import { usageOf } from "../../../src/gateway/providers/openai-compatible/usage.js";
import { tokenUsageOf } from "../../../src/gateway/providers/openai-responses/reply.js";
import { countsWithin, reportedCost, withCharge } from "../../../src/gateway/providers/token-usage.js";
import { PLAIN_USAGE } from "../../fakes/provider.js";

const byok = (is_byok: boolean | undefined, cost: number, upstream_inference_cost: number) => ({
  is_byok,
  cost,
  cost_details: { upstream_inference_cost },
});

describe("What a provider says that it charged", () => {
  it.each<[string, object, number | undefined]>([
    // https://github.com/BerriAI/litellm/issues/42200 (2026-09-21)
    ["OpenRouter's", { cost: 0.00123 }, 0.00123],
    // https://github.com/tailcallhq/forgecode/issues/1641 (2025-10-03), https://github.com/Kilo-Org/kilocode/pull/13841 (2026-09-07)
    ["OpenRouter's with a key of its account: the vendor's alone", byok(true, 0, 0.0360795), 0.0360795],
    ["OpenRouter's with a key of its account: fee and vendor", byok(true, 0.002, 0.001), 0.003],
    // https://www.openrouter.ai/docs/use-cases/usage-accounting (2026-11-28)
    ["OpenRouter's as its page shows it, without the word", byok(undefined, 0.95, 19), 19.95],
    // https://github.com/yvgude/lean-ctx/issues/746 (2026-07-07)
    ["OpenRouter's, said twice", byok(false, 0.00123, 0.00123), 0.00123],
    ["OpenRouter's, said twice without the word", byok(undefined, 0.00123, 0.00123), 0.00123],
    // https://github.com/pydantic/pydantic-ai/issues/7033 (2026-08-02)
    ["Vercel's", { cost: 1.316e-5, market_cost: 1.316e-5, gateway_cost: 1.316e-5 }, 0.00001316],
    // https://github.com/BerriAI/litellm/pull/17887 (2025-12-12)
    [
      "Perplexity's",
      { cost: { input_tokens_cost: 0.00001, request_cost: 0.005, total_cost: 0.00501 } },
      0.00501,
    ],
    // https://docs.x.ai/developers/cost-tracking (2026-11-28)
    ["xAI's", { cost_in_usd_ticks: 37_756_000 }, 0.0037756],
    ["DeepInfra's", { estimated_cost: 9.68e-5 }, 0.0000968],
    ["a free model's", { cost: 0 }, 0],
    ...["0.1", null, -1, Number.NaN, 1e9, {}, []].map((cost): [string, object, undefined] => [
      `none: ${JSON.stringify(cost)}`,
      { cost },
      undefined,
    ]),
  ])("is read: %s", (_, usage, costUsd) => {
    expect(reportedCost({ ...usage })).toEqual(costUsd === undefined ? {} : { costUsd });
  });

  it("is read of the header of LiteLLM's proxy too, unless that is 0 for a price that it lacks", () => {
    const headers = ["0.0123", "0.0", "many", undefined].map((usd) => ({ "x-litellm-response-cost": usd }));
    const costs = headers.map((told) => withCharge(PLAIN_USAGE, told)?.costUsd);
    expect(costs).toEqual([0.0123, undefined, undefined, undefined]);
    expect(withCharge({ ...PLAIN_USAGE, costUsd: 1 }, { "x-litellm-response-cost": "2" })?.costUsd).toBe(1);
    expect(withCharge(null, { "x-litellm-response-cost": "2" })).toBeNull();
  });

  it("is read in every dialect", () => {
    const read = [
      usageOf({ prompt_tokens: 1, completion_tokens: 1, cost: 0.5 }, { reasoningTokens: "included" }),
      tokenUsageOf({ input_tokens: 1, output_tokens: 1, cost: 0.5 }),
      toTokenUsage({ input_tokens: 1, output_tokens: 1, cost: 0.5 }),
    ];
    expect(read.map((usage) => usage?.costUsd)).toEqual([0.5, 0.5, 0.5]);
  });
});

describe("A usage object with more members than any vendor's", () => {
  const named = (count: number, value: unknown) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, value]));
  const counts = { prompt_tokens: 7, completion_tokens: 5, input_tokens: 7, output_tokens: 5 };
  /** Members and items, those of parts among them. */
  const sizeOf = (value: unknown): number =>
    typeof value !== "object" || value === null
      ? 0
      : Object.values(value).reduce((sum: number, part) => sum + 1 + sizeOf(part), 0);

  it.each([
    ["beside the counts", named(5000, 1)],
    ["in its parts", named(20, named(20, named(20, 1)))],
    ["in lists", { list: Array.from({ length: 5000 }, () => [[1]]) }],
  ])("is read and passed on as far as its first hundred: %s", (_, more) => {
    const wide = { ...counts, ...more };
    const read = [usageOf(wide, { reasoningTokens: "included" }), toTokenUsage(mergedUsage({}, wide))];
    for (const usage of [...read, toTokenUsage(wide)]) {
      expect(usage).toMatchObject({ promptTokens: 7, completionTokens: 5 });
      expect(sizeOf(usage?.details)).toBeLessThanOrEqual(104);
    }
    expect(sizeOf(countsWithin(wide))).toBe(100);
    expect(countsWithin(wide, { prompt: 1, completion: 2 })).toMatchObject({ prompt_tokens: 3 });
  });
});

it("A usage object has no cost below zero, under any name, while a discount may be", () => {
  const right = { cost: 0.5, cost_details: { upstream_inference_cost: 0, cache_discount: -0.1 } };
  const wrong = {
    cost: -5,
    cost_details: { upstream_inference_cost: -1, cache_discount: -0.1 },
    estimated_cost: -1,
  };
  expect(countsWithin(right)).toEqual(right);
  expect(countsWithin(wrong)).toEqual({ cost_details: { cache_discount: -0.1 } });
  expect(countsWithin({ cost: { total_cost: -1, currency: "USD" } })).toEqual({
    cost: { currency: "USD" },
  });
});
