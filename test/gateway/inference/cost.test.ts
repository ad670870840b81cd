import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Price } from "../../../src/engine/catalog/models/price.js";
import { costsOf } from "../../../src/gateway/inference/cost.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, PLAIN_USAGE, streams, textSteps } from "../../fakes/provider.js";
import { asCompletion, asStream, contextOf, readAll, requestFor, startInference } from "./harness.js";

const tokens = (changes: Partial<TokenUsage>): TokenUsage => ({ ...PLAIN_USAGE, ...changes });

interface CostCase {
  readonly what: string;
  readonly price: Price | null;
  readonly usage: TokenUsage;
  /** Input, cache input, output, total, in dollars. */
  readonly dollars: readonly [number | null, number | null, number | null, number | null];
}

const GPT_4O_MINI = priceOf(0.15, 0.6, { cachedInputUsdPerMtok: 0.075 });
const O4_MINI = priceOf(1.1, 4.4, { cachedInputUsdPerMtok: 0.275 });
const SONNET = priceOf(3, 15, {
  cachedInputUsdPerMtok: 0.3,
  cacheWriteUsdPerMtok: 3.75,
  cacheWriteHourUsdPerMtok: 6,
});
const GEMINI_PRO = priceOf(1.25, 10, {
  cachedInputUsdPerMtok: 0.125,
  tiers: [
    {
      abovePromptTokens: 200_000,
      rates: { ...priceOf(2.5, 15), cachedInputUsdPerMtok: 0.25 },
    },
  ],
});
const TWO_TIERS = priceOf(1, 2, {
  tiers: [
    { abovePromptTokens: 100, rates: priceOf(3, 4) },
    { abovePromptTokens: 1000, rates: priceOf(5, 6) },
  ],
});

const CASES: readonly CostCase[] = [
  {
    what: "gpt-4o-mini, nothing cached",
    price: GPT_4O_MINI,
    usage: tokens({ promptTokens: 1000, completionTokens: 500 }),
    // 1000 × 0.15 / 1e6 = 0.00015; 500 × 0.60 / 1e6 = 0.0003; together 0.00045
    dollars: [0.00015, 0, 0.0003, 0.00045],
  },
  {
    what: "gpt-4o-mini, most of the prompt from the cache",
    price: GPT_4O_MINI,
    usage: tokens({ promptTokens: 2048, cacheReadTokens: 1920, completionTokens: 100 }),
    // 128 × 0.15 / 1e6 = 0.0000192; 1920 × 0.075 / 1e6 = 0.000144; 100 × 0.60 / 1e6 = 0.00006; together 0.0002232
    dollars: [0.0000192, 0.000144, 0.00006, 0.0002232],
  },
  {
    what: "gpt-4o-mini, one token of each kind",
    price: GPT_4O_MINI,
    usage: tokens({ promptTokens: 2, cacheReadTokens: 1, completionTokens: 1 }),
    // 1 × 0.15 / 1e6; 1 × 0.075 / 1e6; 1 × 0.60 / 1e6; together 0.825 / 1e6
    dollars: [0.00000015, 0.000000075, 0.0000006, 0.000000825],
  },
  {
    what: "o4-mini, hidden reasoning is part of the completion",
    price: O4_MINI,
    usage: tokens({ promptTokens: 75, completionTokens: 1186, reasoningTokens: 1024 }),
    // 75 × 1.10 / 1e6 = 0.0000825; 1186 × 4.40 / 1e6 = 0.0052184, not 2210 × 4.40; together 0.0053009
    dollars: [0.0000825, 0, 0.0052184, 0.0053009],
  },
  {
    what: "o4-mini, reasoning and cache",
    price: O4_MINI,
    usage: tokens({ promptTokens: 1500, cacheReadTokens: 1280, completionTokens: 900, reasoningTokens: 640 }),
    // 220 × 1.10 / 1e6 = 0.000242; 1280 × 0.275 / 1e6 = 0.000352; 900 × 4.40 / 1e6 = 0.00396; together 0.004554
    dollars: [0.000242, 0.000352, 0.00396, 0.004554],
  },
  {
    what: "claude-sonnet, nothing cached",
    price: SONNET,
    usage: tokens({ promptTokens: 2095, completionTokens: 503 }),
    // 2095 × 3 / 1e6 = 0.006285; 503 × 15 / 1e6 = 0.007545; together 0.01383
    dollars: [0.006285, 0, 0.007545, 0.01383],
  },
  {
    what: "claude-sonnet, writes of five minutes and reads",
    price: SONNET,
    usage: tokens({
      promptTokens: 21_050,
      cacheReadTokens: 18_000,
      cacheWriteTokens: 3000,
      completionTokens: 393,
    }),
    // 50 × 3 / 1e6 = 0.00015; 18000 × 0.30 / 1e6 + 3000 × 3.75 / 1e6 = 0.0054 + 0.01125 = 0.01665;
    // 393 × 15 / 1e6 = 0.005895; together 0.022695
    dollars: [0.00015, 0.01665, 0.005895, 0.022695],
  },
  {
    what: "claude-sonnet, writes of an hour beside writes of five minutes",
    price: SONNET,
    usage: tokens({
      promptTokens: 2548,
      cacheReadTokens: 1800,
      cacheWriteTokens: 248,
      cacheWriteHourTokens: 100,
      completionTokens: 503,
    }),
    // 500 × 3 / 1e6 = 0.0015; 1800 × 0.30 / 1e6 + 148 × 3.75 / 1e6 + 100 × 6 / 1e6 = 0.00054 + 0.000555 + 0.0006
    // = 0.001695; 503 × 15 / 1e6 = 0.007545; together 0.01074
    dollars: [0.0015, 0.001695, 0.007545, 0.01074],
  },
  {
    what: "writes of an hour where the list has no rate for them: as other writes",
    price: priceOf(3, 15, { cacheWriteUsdPerMtok: 3.75 }),
    usage: tokens({
      promptTokens: 1000,
      cacheWriteTokens: 1000,
      cacheWriteHourTokens: 400,
      completionTokens: 0,
    }),
    // 0 fresh; 600 × 3.75 / 1e6 + 400 × 3.75 / 1e6 = 0.00375; together 0.00375
    dollars: [0, 0.00375, 0, 0.00375],
  },
  {
    what: "cached tokens where the list has no rate for them: as fresh ones",
    price: priceOf(0.5, 1.5),
    usage: tokens({ promptTokens: 900, cacheReadTokens: 300, cacheWriteTokens: 200, completionTokens: 10 }),
    // 400 × 0.5 / 1e6 = 0.0002; 500 × 0.5 / 1e6 = 0.00025; 10 × 1.5 / 1e6 = 0.000015; together 0.000465
    dollars: [0.0002, 0.00025, 0.000015, 0.000465],
  },
  {
    what: "gemini-pro at the end of its lower tier",
    price: GEMINI_PRO,
    usage: tokens({ promptTokens: 200_000, completionTokens: 1000 }),
    // 200000 × 1.25 / 1e6 = 0.25; 1000 × 10 / 1e6 = 0.01; together 0.26
    dollars: [0.25, 0, 0.01, 0.26],
  },
  {
    what: "gemini-pro one token into its upper tier, cached tokens counted: the whole request costs more",
    price: GEMINI_PRO,
    usage: tokens({ promptTokens: 200_001, cacheReadTokens: 150_000, completionTokens: 1000 }),
    // 50001 × 2.50 / 1e6 = 0.1250025; 150000 × 0.25 / 1e6 = 0.0375; 1000 × 15 / 1e6 = 0.015; together 0.1775025
    dollars: [0.1250025, 0.0375, 0.015, 0.1775025],
  },
  {
    what: "the middle one of three tiers",
    price: TWO_TIERS,
    usage: tokens({ promptTokens: 1000, completionTokens: 10 }),
    // 1000 × 3 / 1e6 = 0.003; 10 × 4 / 1e6 = 0.00004; together 0.00304
    dollars: [0.003, 0, 0.00004, 0.00304],
  },
  {
    what: "the last one of three tiers",
    price: TWO_TIERS,
    usage: tokens({ promptTokens: 1001, completionTokens: 10 }),
    // 1001 × 5 / 1e6 = 0.005005; 10 × 6 / 1e6 = 0.00006; together 0.005065
    dollars: [0.005005, 0, 0.00006, 0.005065],
  },
  {
    what: "a model that costs nothing",
    price: priceOf(0, 0),
    usage: tokens({ promptTokens: 5000, completionTokens: 5000 }),
    dollars: [0, 0, 0, 0],
  },
  {
    what: "an unknown price",
    price: null,
    usage: tokens({ promptTokens: 1000, cacheReadTokens: 100, completionTokens: 500 }),
    dollars: [null, null, null, null],
  },
];

async function usageOfAnswer({ price, usage }: CostCase, stream: boolean) {
  const provider = new FakeProvider(
    "lab",
    stream ? streams(...textSteps(["hi", " there"], usage)) : answers("hi there", usage),
  );
  const { inference, limiter } = startInference([provider], {
    deployments: [deploymentOf("lab", "model-a", { price })],
  });
  const answer = await inference.run(requestFor({ stream }), contextOf());
  if (!stream) return { usage: asCompletion(answer).usage, limiter };
  await readAll(asStream(answer));
  return { usage: asStream(answer).usage(), limiter };
}

describe("The cost of an answer", () => {
  for (const example of CASES) {
    for (const stream of [false, true]) {
      it(`follows the price to the picodollar: ${example.what}${stream ? ", streamed" : ""}`, async () => {
        const { usage, limiter } = await usageOfAnswer(example, stream);
        const [input, cache, output, total] = example.dollars;
        expect(usage).toMatchObject({
          prompt_tokens: example.usage.promptTokens,
          completion_tokens: example.usage.completionTokens,
          total_tokens: example.usage.promptTokens + example.usage.completionTokens,
          input_cost_usd: input,
          cache_input_cost_usd: cache,
          output_cost_usd: output,
          total_cost_usd: total,
        });
        expect(usage.estimated).toBeUndefined();
        expect(limiter.reservations[0]?.settled).toEqual([{ tokens: usage.total_tokens, costUsd: total }]);
      });
    }
  }

  it("is the exact sum of its parts, none of them negative", () => {
    fc.assert(
      fc.property(priceArbitrary, usageArbitrary, (price, usage) => {
        const costs = costsOf(usage, price);
        const parts = [costs.input_cost_usd, costs.cache_input_cost_usd, costs.output_cost_usd].map(
          inPicodollars,
        );
        for (const part of parts) expect(part).toBeGreaterThanOrEqual(0n);
        expect(inPicodollars(costs.total_cost_usd)).toBe(parts.reduce((sum, part) => sum + part, 0n));
      }),
    );
  });

  it("of two answers is the sum of their costs", () => {
    fc.assert(
      fc.property(priceArbitrary, usageArbitrary, usageArbitrary, (price, one, other) => {
        const flat = { ...price, tiers: [] };
        const together = Object.fromEntries(
          Object.entries(one).map(([key, value]) => [key, value + other[key as keyof typeof other]]),
        ) as typeof one;
        const sum =
          inPicodollars(costsOf(one, flat).total_cost_usd) +
          inPicodollars(costsOf(other, flat).total_cost_usd);
        expect(inPicodollars(costsOf(together, flat).total_cost_usd)).toBe(sum);
      }),
      { numRuns: 2000 },
    );
  });

  it("is never negative for a provider that reports more cached tokens than tokens", () => {
    const costs = costsOf(
      tokens({ promptTokens: 10, cacheReadTokens: 50, completionTokens: 0 }),
      priceOf(1, 1),
    );
    expect(costs.input_cost_usd).toBe(0);
  });
});

/** Dollars with at most twelve decimals, as a whole number. */
const inPicodollars = (dollars: number | null): bigint => BigInt(Math.round((dollars ?? 0) * 1e12));

/** Up to a hundred dollars per million tokens, to a hundredth of a cent. */
const rate = fc.integer({ min: 0, max: 1_000_000 }).map((units) => units / 10_000);
const optionalRate = fc.option(rate, { nil: null });
const rates = fc.record({
  inputUsdPerMtok: rate,
  cachedInputUsdPerMtok: optionalRate,
  cacheWriteUsdPerMtok: optionalRate,
  cacheWriteHourUsdPerMtok: optionalRate,
  outputUsdPerMtok: rate,
});
const priceArbitrary = fc
  .tuple(rates, rates, fc.nat(100_000))
  .map(
    ([base, tier, abovePromptTokens]): Price => ({ ...base, tiers: [{ abovePromptTokens, rates: tier }] }),
  );

const usageArbitrary = fc
  .tuple(fc.nat(100_000), fc.nat(100_000), fc.nat(100_000), fc.nat(100_000), fc.nat(100_000))
  .map(([fresh, read, write, hour, completion]) => ({
    promptTokens: fresh + read + write + hour,
    cacheReadTokens: read,
    cacheWriteTokens: write + hour,
    cacheWriteHourTokens: hour,
    completionTokens: completion,
  }));
