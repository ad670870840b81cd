import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Price } from "../../../src/engine/catalog/models/price.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { costsOf } from "../../../src/gateway/run/cost.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, PLAIN_USAGE, streams, textSteps } from "../../fakes/provider.js";
import { readAll, startInference } from "./harness.js";

interface Counts {
  readonly prompt: number;
  readonly completion: number;
  /** Parts of the prompt: read from the cache, written to it, and for an hour, as a part of the writes. */
  readonly read?: number;
  readonly written?: number;
  readonly hour?: number;
  readonly reasoning?: number;
}

const tokens = ({
  prompt,
  completion,
  read = 0,
  written = 0,
  hour = 0,
  reasoning = 0,
}: Counts): TokenUsage => ({
  promptTokens: prompt,
  completionTokens: completion,
  cacheReadTokens: read,
  cacheWriteTokens: written,
  cacheWriteHourTokens: hour,
  reasoningTokens: reasoning,
  details: {},
});

const MINI = priceOf(0.15, 0.6, { cachedInputUsdPerMtok: 0.075 });
const O4_MINI = priceOf(1.1, 4.4, { cachedInputUsdPerMtok: 0.275 });
const WRITES = { cachedInputUsdPerMtok: 0.3, cacheWriteUsdPerMtok: 3.75 };
const SONNET = priceOf(3, 15, { ...WRITES, cacheWriteHourUsdPerMtok: 6 });
const LARGE_RATES = { ...priceOf(2.5, 15), cachedInputUsdPerMtok: 0.25 };
const GEMINI = priceOf(1.25, 10, {
  cachedInputUsdPerMtok: 0.125,
  tiers: [{ abovePromptTokens: 200_000, rates: LARGE_RATES }],
});
const THREE_TIERS = priceOf(1, 2, {
  tiers: [
    { abovePromptTokens: 100, rates: priceOf(3, 4) },
    { abovePromptTokens: 1000, rates: priceOf(5, 6) },
  ],
});

/** Input, cache input, output, total. */
type Dollars = readonly [number, number, number, number] | readonly [null, null, null, null];

describe("The cost of an answer", () => {
  it.each<[string, Price | null, Counts, Dollars]>([
    // 1000 × 0.15 / 1e6; 500 × 0.60 / 1e6
    ["nothing cached", MINI, { prompt: 1000, completion: 500 }, [0.00015, 0, 0.0003, 0.00045]],
    // 128 × 0.15 / 1e6; 1920 × 0.075 / 1e6; 100 × 0.60 / 1e6
    [
      "most of the prompt from the cache",
      MINI,
      { prompt: 2048, read: 1920, completion: 100 },
      [0.0000192, 0.000144, 0.00006, 0.0002232],
    ],
    // 220 × 1.10 / 1e6; 1280 × 0.275 / 1e6; 900 × 4.40 / 1e6, not 1540 × 4.40
    [
      "hidden reasoning is part of the completion",
      O4_MINI,
      { prompt: 1500, read: 1280, completion: 900, reasoning: 640 },
      [0.000242, 0.000352, 0.00396, 0.004554],
    ],
    // 500 × 3 / 1e6; 1800 × 0.30 / 1e6 + 148 × 3.75 / 1e6 + 100 × 6 / 1e6; 503 × 15 / 1e6
    [
      "reads, writes of five minutes and writes of an hour",
      SONNET,
      { prompt: 2548, read: 1800, written: 248, hour: 100, completion: 503 },
      [0.0015, 0.001695, 0.007545, 0.01074],
    ],
    // 600 × 3.75 / 1e6 + 400 × 3.75 / 1e6
    [
      "writes of an hour where the list has no rate for them: as other writes",
      priceOf(3, 15, { cacheWriteUsdPerMtok: 3.75 }),
      { prompt: 1000, written: 1000, hour: 400, completion: 0 },
      [0, 0.00375, 0, 0.00375],
    ],
    // 400 × 0.5 / 1e6; 500 × 0.5 / 1e6; 10 × 1.5 / 1e6
    [
      "cached tokens where the list has no rate for them: as fresh ones",
      priceOf(0.5, 1.5),
      { prompt: 900, read: 300, written: 200, completion: 10 },
      [0.0002, 0.00025, 0.000015, 0.000465],
    ],
    // 200000 × 1.25 / 1e6; 1000 × 10 / 1e6
    ["the end of the lower tier", GEMINI, { prompt: 200_000, completion: 1000 }, [0.25, 0, 0.01, 0.26]],
    // 50001 × 2.50 / 1e6; 150000 × 0.25 / 1e6; 1000 × 15 / 1e6
    [
      "one token into the upper tier, cached tokens counted: the whole request costs more",
      GEMINI,
      { prompt: 200_001, read: 150_000, completion: 1000 },
      [0.1250025, 0.0375, 0.015, 0.1775025],
    ],
    // 1000 × 3 / 1e6; 10 × 4 / 1e6
    ["the middle tier of three", THREE_TIERS, { prompt: 1000, completion: 10 }, [0.003, 0, 0.00004, 0.00304]],
    // 1001 × 5 / 1e6; 10 × 6 / 1e6
    ["the last one", THREE_TIERS, { prompt: 1001, completion: 10 }, [0.005005, 0, 0.00006, 0.005065]],
    ["a model that costs nothing", priceOf(0, 0), { prompt: 5000, completion: 5000 }, [0, 0, 0, 0]],
    ["an unknown price", null, { prompt: 1000, read: 100, completion: 500 }, [null, null, null, null]],
  ])("follows the price to the picodollar: %s", (_, price, counts, [input, cache, output, total]) => {
    expect(costsOf(tokens(counts), price)).toEqual({
      input_cost_usd: input,
      cache_input_cost_usd: cache,
      output_cost_usd: output,
      total_cost_usd: total,
    });
  });

  it.each([false, true])("is part of its usage and settled, streamed: %s", async (stream) => {
    const usage = tokens({ prompt: 2048, read: 1920, completion: 100 });
    const script = stream ? streams(...textSteps(["hi"], usage)) : answers("hi", usage);
    const deployments = [deploymentOf("lab", "model-a", { price: MINI })];
    const { run, limiter } = startInference([new FakeProvider("lab", script)], { deployments });
    const answer = await run({ stream });
    if (answer.kind === "stream") await readAll(answer);
    const told = answer.kind === "stream" ? answer.usage() : answer.usage;
    expect(told).toMatchObject({ prompt_tokens: 2048, total_tokens: 2148, ...costsOf(usage, MINI) });
    expect(told.estimated).toBeUndefined();
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 2148, costUsd: 0.0002232 }]);
  });

  it("is the exact sum of its parts, and that of two answers the sum of their costs", () => {
    fc.assert(
      fc.property(anyPrice, anyUsage, anyUsage, (price, one, other) => {
        const [cost, costOfOther] = [costsOf(one, price), costsOf(other, price)];
        const parts = [cost.input_cost_usd, cost.cache_input_cost_usd, cost.output_cost_usd];
        expect(sumOf(parts)).toBe(sumOf([cost.total_cost_usd]));
        const together = costsOf(sumOfUsage(one, other), price);
        expect(sumOf([together.total_cost_usd])).toBe(
          sumOf([cost.total_cost_usd, costOfOther.total_cost_usd]),
        );
      }),
    );
  });

  it("is never negative for a provider that reports more cached tokens than tokens", () => {
    const costs = costsOf({ ...PLAIN_USAGE, promptTokens: 10, cacheReadTokens: 50 }, priceOf(1, 1));
    expect(costs.input_cost_usd).toBe(0);
    const written = tokens({ prompt: 10, written: 5, hour: 50, completion: 0 });
    expect(costsOf(written, SONNET).cache_input_cost_usd).toBe(0.00003);
  });
});

/** Of dollars with at most twelve decimals, in millionths of a millionth. */
const sumOf = (dollars: readonly (number | null)[]): bigint =>
  dollars.reduce((sum, one) => sum + BigInt(Math.round((one ?? 0) * 1e12)), 0n);

/** Up to a hundred dollars per million tokens, to a hundredth of a cent. */
const anyRate = fc.integer({ min: 0, max: 1_000_000 }).map((units) => units / 10_000);
const anyPrice = fc
  .tuple(anyRate, anyRate, anyRate, anyRate, anyRate)
  .map(([input, output, read, write, hour]) =>
    priceOf(input, output, {
      cachedInputUsdPerMtok: read,
      cacheWriteUsdPerMtok: write,
      cacheWriteHourUsdPerMtok: hour,
    }),
  );

const count = fc.nat(100_000);
const anyUsage = fc
  .tuple(count, count, count, count, count)
  .map(([fresh, read, write, hour, completion]) =>
    tokens({ prompt: fresh + read + write + hour, read, written: write + hour, hour, completion }),
  );

const sumOfUsage = (one: TokenUsage, other: TokenUsage): TokenUsage =>
  tokens({
    prompt: one.promptTokens + other.promptTokens,
    completion: one.completionTokens + other.completionTokens,
    read: one.cacheReadTokens + other.cacheReadTokens,
    written: one.cacheWriteTokens + other.cacheWriteTokens,
    hour: one.cacheWriteHourTokens + other.cacheWriteHourTokens,
  });
