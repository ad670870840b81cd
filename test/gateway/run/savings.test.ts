import { describe, expect, it } from "vitest";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, PLAIN_USAGE } from "../../fakes/provider.js";
import { named, routed, startInference } from "./harness.js";

const TOKENS = { ...PLAIN_USAGE, promptTokens: 3000, cacheWriteTokens: 2000, completionTokens: 100 };
const PRICES = { large: [1.25, 0.125, 10], medium: [0.5, 0.05, 4], small: [0.05, 0.005, 0.4] } as const;

function started(
  settings: { readonly baselineModel?: string },
  provider = new FakeProvider("openai", answers("hi", TOKENS)),
) {
  const deployments = Object.entries(PRICES).map(([model, [input, cached, output]]) =>
    deploymentOf("openai", model, { price: priceOf(input, output, { cachedInputUsdPerMtok: cached }) }),
  );
  return startInference([provider], { deployments, settings });
}

const asking = (models: readonly string[], ...texts: readonly string[]) => ({
  choice: routed(models),
  body: { messages: texts.map((content, at) => ({ role: at % 2 === 0 ? "user" : "assistant", content })) },
});

describe("A routed answer", () => {
  it("has what the baseline would have cost, and what was saved, in its trace", async () => {
    const { run, trace } = started({ baselineModel: "large" });
    await run(asking(["medium", "small"], "hello"));
    // 3,000 · 1.25 + 100 · 10 and 3,000 · .5 + 100 · 4 millionths
    expect(trace().savings).toEqual({
      baseline_model: "large",
      baseline_cost_usd: 0.004_75,
      saved_usd: 0.002_85,
      lost_cache_tokens: 0,
    });
  });

  it("counts the cache against the answer that another model gives in a conversation", async () => {
    const { run, sink } = started({ baselineModel: "small" });
    await run(asking(["medium", "small"], "hello"));
    await run(asking(["large", "small"], "hello", "hi", "and now?"));
    // What the first provider reported as cached, of 3,000 tokens: the same part of this prompt.
    expect(sink.traces[1]?.savings).toEqual({
      baseline_model: "small",
      baseline_cost_usd: (1000 * 0.05 + 2000 * 0.005 + 100 * 0.4) / 1e6,
      saved_usd: expect.closeTo(0.0001 - 0.004_75, 12),
      lost_cache_tokens: 2000,
    });
  });
});

describe("Nothing is compared", () => {
  it.each([
    ["without a baseline", {}, asking(["medium", "small"], "hello")],
    ["for a request that names its model", { baselineModel: "large" }, { choice: named("small") }],
    ["with a baseline without a price", { baselineModel: "none" }, asking(["medium", "small"], "hello")],
  ])("%s", async (_, settings, request) => {
    const { run, trace } = started(settings);
    await run(request);
    expect(trace().savings).toBeUndefined();
  });
});
