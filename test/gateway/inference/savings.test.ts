import { describe, expect, it } from "vitest";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails } from "../../fakes/provider.js";
import { contextOf, named, requestFor, routed, startInference } from "./harness.js";

const TOKENS: TokenUsage = {
  ...{ promptTokens: 3000, cacheReadTokens: 0, cacheWriteTokens: 2000, cacheWriteHourTokens: 0 },
  ...{ completionTokens: 100, reasoningTokens: 0, details: {} },
};
const PRICES = { large: [1.25, 0.125, 10], medium: [0.5, 0.05, 4], small: [0.05, 0.005, 0.4] } as const;

function started(
  settings: { readonly baselineModel?: string },
  provider = new FakeProvider("openai", answers("hi", TOKENS)),
) {
  const deployments = Object.entries(PRICES).map(([model, [input, cached, output]]) =>
    deploymentOf("openai", model, {
      price: {
        ...priceOf(input, output),
        ...{ cachedInputUsdPerMtok: cached, cacheWriteUsdPerMtok: null, cacheWriteHourUsdPerMtok: null },
      },
    }),
  );
  return startInference([provider], { deployments, settings });
}

const asking = (models: readonly string[], ...texts: readonly string[]) =>
  requestFor({
    choice: routed(models),
    body: {
      messages: texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })),
    },
  });

describe("A routed answer", () => {
  it("has what the baseline would have cost, and what was saved, in its trace", async () => {
    const { inference, trace } = started({ baselineModel: "large" });
    await inference.run(asking(["medium", "small"], "hello"), contextOf());
    // 3,000 · 1.25 + 100 · 10 and 3,000 · .5 + 100 · 4 millionths
    expect(trace().savings).toEqual({
      ...{ baseline_model: "large", baseline_cost_usd: 0.004_75, saved_usd: 0.002_85, lost_cache_tokens: 0 },
    });
  });

  it("counts the cache against the answer that another model gives in a conversation", async () => {
    const { inference, sink } = started({ baselineModel: "small" });
    await inference.run(asking(["medium", "small"], "hello"), contextOf());
    await inference.run(asking(["large", "small"], "hello", "hi", "and now?"), contextOf());
    // What the first provider reported as cached, of 3,000 tokens: the same part of this prompt.
    expect(sink.traces[1]?.savings).toEqual({
      baseline_model: "small",
      baseline_cost_usd: (1000 * 0.05 + 2000 * 0.005 + 100 * 0.4) / 1e6,
      saved_usd: expect.closeTo(0.0001 - 0.004_75, 12),
      lost_cache_tokens: 2000,
    });
  });

  it("counts no lost cache while one model answers a conversation", async () => {
    const { inference, sink } = started({ baselineModel: "small" });
    await inference.run(asking(["medium", "small"], "hello"), contextOf());
    await inference.run(asking(["medium", "small"], "hello", "hi", "and now?"), contextOf());
    expect(sink.traces[1]?.savings?.lost_cache_tokens).toBe(0);
  });
});

describe("Nothing is compared", () => {
  it.each([
    ["without a baseline", {}, asking(["medium", "small"], "hello")],
    [
      "for a request that names its model",
      { baselineModel: "large" },
      requestFor({ choice: named("small") }),
    ],
    ["with a baseline without a price", { baselineModel: "none" }, asking(["medium", "small"], "hello")],
  ])("%s", async (_, settings, request) => {
    const { inference, trace } = started(settings);
    await inference.run(request, contextOf());
    expect(trace().savings).toBeUndefined();
  });

  it("for a request that fails", async () => {
    const provider = new FakeProvider("openai", fails("content_filter"));
    const { inference, trace } = started({ baselineModel: "large" }, provider);
    await inference.run(asking(["medium", "small"], "hello"), contextOf()).catch(() => {});
    expect(trace().savings).toBeUndefined();
  });
});
