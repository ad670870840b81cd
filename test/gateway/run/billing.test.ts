/** What a request costs by the tier that served it, and by the tools that its provider ran. */
import { describe, expect, it } from "vitest";
import { findListedAt } from "../../../src/engine/catalog/prices/prices.js";
import { tiersOf } from "../../../src/engine/catalog/prices/service-tiers.js";
import { toTokenUsage } from "../../../src/gateway/providers/anthropic/reply.js";
import { wholeAnswer } from "../../../src/gateway/providers/http/whole-answer.js";
import { ResponsesStream } from "../../../src/gateway/providers/openai-responses/reply.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { costsOf } from "../../../src/gateway/run/cost.js";
import { billingOf } from "../../../src/gateway/run/usage.js";
import { billedCostUsd } from "../../../src/gateway/traces/billed-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, fails, PLAIN_USAGE, streams, textSteps } from "../../fakes/provider.js";
import { asCompletion, readAll, startInference } from "./harness.js";

/** After the price cuts of August 2026. */
const AT = new Date("2026-11-23T00:00:00Z");

const listed = (provider: string, model: string) =>
  deploymentOf(provider, model, {
    price: findListedAt(provider, model, { at: AT })?.price ?? null,
    serviceTiers: tiersOf(provider, model, { at: AT }),
  });

/** Dollars for a million fresh, a million cached and a million generated tokens. */
function dollars(provider: string, model: string, serviceTier?: string) {
  const deployment = listed(provider, model);
  const tier = serviceTier === undefined ? {} : { serviceTier };
  const cost = (tokens: Partial<TokenUsage>) => {
    // A prompt of a thousand tokens: long ones have rates of their own.
    const usage: TokenUsage = { ...PLAIN_USAGE, promptTokens: 0, completionTokens: 0, ...tokens, ...tier };
    const { total_cost_usd: usd } = costsOf(usage, billingOf(deployment, usage).price);
    return usd === null ? null : Math.round(usd * 1e6) / 1000;
  };
  return [
    cost({ promptTokens: 1000 }),
    cost({ promptTokens: 1000, cacheReadTokens: 1000 }),
    cost({ completionTokens: 1000 }),
  ];
}

describe("The price of a request", () => {
  // OpenAI's published prices: https://developers.openai.com/api/docs/pricing, https://openai.com/api-fast-mode/, read on 2026-11-23.
  it.each([
    ["gpt-5.6-sol", undefined, [4, 0.4, 20]],
    ["gpt-5.6-sol", "flex", [2, 0.2, 10]],
    ["gpt-5.6-sol", "batch", [2, 0.2, 10]],
    ["gpt-5.6-sol", "priority", [8, 0.8, 40]],
    ["gpt-5.6-terra", "fast", [4, 0.4, 24]],
    ["gpt-5.5", "priority", [12.5, 1.25, 75]],
    ["gpt-5.4", "flex", [1.25, 0.125, 7.5]],
    ["gpt-5.4", "priority", [5, 0.5, 30]],
    ["gpt-5.1", "priority", [2.5, 0.25, 20]],
    ["gpt-4.1", "priority", [3.5, 0.875, 14]],
    ["gpt-4o-mini", "priority", [0.25, 0.125, 1]],
  ] as const)("of %s served by the tier %s is the published one", (model, tier, usd) => {
    expect(dollars("openai", model, tier)).toEqual(usd);
  });

  // The pages are in datasets/catalog/reviewed.json, with the days on which they were read.
  it.each([
    ["openai", "gpt-6.2-sol", "batch", "2026-11-28", 0.5],
    ["openai", "gpt-6.2-sol", "fast", "2026-11-28", 2],
    ["openai", "gpt-6.2-sol", "ultrafast", "2027-02-28", 3],
    ["openai", "gpt-6.2-sol", "ultrafast", "2027-03-01", 6],
    ["openai", "gpt-6.1-sol", "ultrafast", "2026-11-28", 6],
    ["openai", "gpt-6.1-terra", "flex", "2026-11-28", 0.5],
    ["google", "gemini-4-argon", "priority", "2026-11-28", 1.8],
    ["google", "gemini-4-argon", "batch", "2026-11-28", 0.5],
    ["google", "gemini-3.8-flash", "priority", "2026-11-28", undefined],
    ["anthropic", "claude-fable-5-2", "fast", "2026-11-28", 2],
  ])(
    "at %s of %s served by the tier %s on %s is the list price times %s",
    (provider, model, tier, day, multiple) => {
      expect(tiersOf(provider, model, { at: new Date(day) })[tier]).toBe(multiple);
    },
  );

  // https://ai.google.dev/gemini-api/docs/generate-content/latest-model, https://platform.claude.com/docs/en/models/haiku-5-5/overview,
  // https://developers.openai.com/api/docs/models/gpt-6.2-sol, https://docs.x.ai/developers/pricing, read on 2026-11-28.
  it.each([
    ["google", "gemini-4-argon", "2026-11-30T23:59:59Z", 1000, [2, 10]],
    ["google", "gemini-4-argon", "2026-12-01T00:00:00Z", 1000, [4, 20]],
    ["google", "gemini-3.8-flash", "2026-12-31T23:59:59Z", 1000, [0.75, 3.75]],
    ["google", "gemini-3.8-flash", "2027-01-01T00:00:00Z", 1000, [1.5, 7.5]],
    ["anthropic", "claude-haiku-5-5", "2026-11-28T00:00:00Z", 100_000, [0.1, 0.5]],
    ["anthropic", "claude-haiku-5-5", "2026-11-28T00:00:00Z", 100_001, [0.5, 2.5]],
    ["openai", "gpt-5.4", "2026-11-28T00:00:00Z", 272_000, [2.5, 15]],
    ["openai", "gpt-5.4", "2026-11-28T00:00:00Z", 272_001, [5, 22.5]],
    ["openai", "gpt-6.2-astra", "2026-11-28T00:00:00Z", 272_001, [16, 60]],
    ["x-ai", "grok-4.6", "2026-11-28T00:00:00Z", 199_999, [2, 6]],
    ["x-ai", "grok-4.6", "2026-11-28T00:00:00Z", 200_000, [4, 12]],
    ["x-ai", "grok-4.7", "2026-11-28T00:00:00Z", 200_000, [4, 12]],
  ] as const)(
    "of %s's %s on %s for a prompt of %s tokens is the published one",
    (provider, model, at, promptTokens, usd) => {
      const price = findListedAt(provider, model, { at: new Date(at) })?.price ?? null;
      const costs = costsOf({ ...PLAIN_USAGE, promptTokens, completionTokens: 1000 }, price);
      expect(
        [(costs.input_cost_usd ?? 0) / promptTokens, (costs.output_cost_usd ?? 0) / 1000].map(
          (each) => each * 1e6,
        ),
      ).toEqual(usd.map((rate) => expect.closeTo(rate, 9)));
    },
  );

  it("is that of the model for a dated name of it", () => {
    const serviceTiers = tiersOf("openai", "gpt-5.4-2026-03-05", { at: AT });
    const deployment = { ...listed("openai", "gpt-5.4"), serviceTiers };
    const { price } = billingOf(deployment, { ...PLAIN_USAGE, serviceTier: "priority" });
    expect(price?.outputUsdPerMtok).toBe(30);
  });

  it.each([
    ["openai", "gpt-5.6-sol", "ultrafast"],
    ["openai", "gpt-5-nano", "priority"],
    ["openai", "gpt-5.6-sol", "scale"],
    ["anthropic", "claude-sonnet-5", "priority"],
    ["anthropic", "claude-sonnet-5", "fast"],
    ["lab", "gpt-5.6-sol", "flex"],
  ])("is unknown, and said to be, where %s publishes none of %s for the tier %s", (provider, model, tier) => {
    const deployment = { ...listed(provider, model), ...(provider === "lab" && { price: priceOf(1, 2) }) };
    const billing = billingOf(deployment, { ...PLAIN_USAGE, serviceTier: tier });
    expect(billing).toEqual({ price: null, notCounted: [`service_tier ${tier}`] });
  });

  it("is half of Anthropic's for batches, and its own for the standard tier", () => {
    const cost = (service_tier: string) => {
      const tokens = toTokenUsage({ input_tokens: 1000, output_tokens: 1000, service_tier }) ?? PLAIN_USAGE;
      const { price } = billingOf(listed("anthropic", "claude-sonnet-5"), tokens);
      return costsOf(tokens, price).total_cost_usd;
    };
    expect([cost("standard"), cost("batch"), cost("priority")]).toEqual([0.012, 0.006, null]);
  });
});

describe("Tools that a provider runs", () => {
  it("are charged by the call where the list has a fee, and else named", () => {
    const search = (type: string) => ({ type: "web_search_call", action: { type } });
    const output = [
      search("search"),
      search("open_page"),
      search("search"),
      { type: "file_search_call" },
      { type: "code_interpreter_call" },
    ];
    const usage = { input_tokens: 1000, output_tokens: 100 };
    const reply = JSON.stringify({ status: "completed", output, service_tier: "default", usage });
    const tokens = wholeAnswer(reply, new ResponsesStream({ provider: "openai" })).usage ?? PLAIN_USAGE;
    const { price, notCounted } = billingOf(listed("openai", "gpt-4.1"), tokens);
    // Two searches at $10 and one at $2.50 the thousand, 1,000 tokens at $2 and 100 at $8 the million.
    expect(costsOf(tokens, price)).toEqual({
      input_cost_usd: 0.002,
      output_cost_usd: 0.0233,
      cache_input_cost_usd: 0,
      total_cost_usd: 0.0253,
      tool_cost_usd: 0.0225,
    });
    expect(notCounted).toEqual(["code_interpreter"]);
  });

  it("of Anthropic's are charged likewise; fetches cost nothing, and what the list lacks is named", () => {
    const calls = { web_search_requests: 3, web_fetch_requests: 5, code_execution_requests: 1 };
    const usage = { input_tokens: 1000, output_tokens: 0, inference_geo: "us", server_tool_use: calls };
    const tokens = toTokenUsage(usage) ?? PLAIN_USAGE;
    const { price, notCounted } = billingOf(listed("anthropic", "claude-sonnet-5"), tokens);
    expect(costsOf(tokens, price)).toMatchObject({ tool_cost_usd: 0.03, total_cost_usd: 0.032 });
    expect(notCounted).toEqual(["code_execution", "inference_geo us"]);
  });

  it("cannot spend a budget by an absurd count", () => {
    const calls = { web_search_requests: 1e12, "x y_requests": 4 };
    const tokens = toTokenUsage({ input_tokens: 1, output_tokens: 1, server_tool_use: calls });
    expect(tokens?.hostedCalls).toEqual({ web_search: 1000 });
  });
});

describe("A request served by another tier", () => {
  const deployments = [
    deploymentOf("openai", "model-a", { price: priceOf(1, 2), serviceTiers: { flex: 0.5 } }),
  ];
  const flex = { ...PLAIN_USAGE, serviceTier: "flex" };

  it("costs what the tier costs in the answer, the trace and the budget", async () => {
    const provider = new FakeProvider("openai", answers("fine", flex));
    const { run, limiter, trace } = startInference([provider], { deployments });
    const { usage } = asCompletion(await run());
    expect(usage).toMatchObject({ service_tier: "flex", total_cost_usd: 0.000009 });
    expect(usage).not.toHaveProperty("not_counted");
    expect(trace().usage).toEqual(usage);
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 14, costUsd: 0.000009 }]);
  });

  it("has null costs, and says why, where the tier has no known price: streamed too", async () => {
    const usage = { ...PLAIN_USAGE, serviceTier: "ultrafast" };
    const provider = new FakeProvider("openai", streams(...textSteps(["fine"]), [{ chunk: null, usage }]));
    const { open, traced } = startInference([provider], { deployments });
    const answer = await open();
    await readAll(answer);
    const costs = { total_cost_usd: null, input_cost_usd: null };
    const billed = { ...costs, service_tier: "ultrafast", not_counted: ["service_tier ultrafast"] };
    expect(answer.usage()).toMatchObject({ prompt_tokens: 10, ...billed });
    expect((await traced()).usage).toMatchObject(billed);
  });
});

describe("A request whose provider says what it charged", () => {
  const usage = { ...PLAIN_USAGE, costUsd: 0.00123, serviceTier: "ultrafast", hostedCalls: { shell: 1 } };
  const billed = {
    input_cost_usd: null,
    output_cost_usd: null,
    cache_input_cost_usd: null,
    total_cost_usd: 0.00123,
    cost_reported: true,
  };

  it.each([
    ["has no known price", null],
    ["has a price", priceOf(1, 2)],
  ])("costs that where the model %s: in the answer, the trace and the budget", async (_, price) => {
    const { run, limiter, trace } = startInference([new FakeProvider("openai", answers("fine", usage))], {
      deployments: [deploymentOf("openai", "model-a", { price })],
    });
    const answer = asCompletion(await run());
    expect(answer.usage).toMatchObject(billed);
    expect(answer.usage).not.toHaveProperty("not_counted");
    expect(trace()).toMatchObject({ usage: billed, attempts: [{ usage: { cost_reported: true } }] });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 14, costUsd: 0.00123 }]);
  });

  it("costs that when it failed", async () => {
    const { run, trace } = startInference([new FakeProvider("openai", fails("server_error", { usage }))], {
      deployments: [deploymentOf("openai", "model-a", { price: null })],
      settings: { retries: 0 },
    });
    await expect(run()).rejects.toThrow();
    expect(billedCostUsd(trace())).toBe(0.00123);
  });
});

it("A request that was refused costs nothing, also where no price is known", async () => {
  const refused = fails("request_refused", { status: 400 });
  const { run, trace } = startInference([new FakeProvider("openai", refused)], {
    deployments: [deploymentOf("openai", "model-a", { price: null })],
  });
  await expect(run()).rejects.toThrow();
  expect(billedCostUsd(trace())).toBe(0);
});
