/** Counts of a provider that no call of the model can have used are bounded before they reach a budget or a trace. */
import { describe, expect, it } from "vitest";
import type { Deployment } from "../../../src/engine/catalog/deployments/deployment.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import {
  answers,
  cutOff,
  delta,
  FakeProvider,
  fails,
  finish,
  PLAIN_USAGE,
  role,
  type Script,
  streams,
} from "../../fakes/provider.js";
import { asCompletion, contextOf, readAll, startInference } from "./harness.js";

const WINDOW = 128_000;
const TRILLIONS = 4e12;
const ABSURD: TokenUsage = {
  ...PLAIN_USAGE,
  promptTokens: TRILLIONS,
  cacheReadTokens: TRILLIONS / 2,
  completionTokens: TRILLIONS,
  reasoningTokens: TRILLIONS,
};
/** A dollar for a million tokens of the prompt, cached or not, and two for a million of the answer. */
const BOUNDED_COST = (WINDOW * 1 + WINDOW * 2) / 1e6;

function startWith(script: Script, changes: Partial<Deployment> = {}) {
  const known = { price: priceOf(1, 2), contextTokens: WINDOW, ...changes };
  const deployments = [deploymentOf("lab", "model-a", known)];
  return startInference([new FakeProvider("lab", script)], { deployments, settings: { retries: 0 } });
}

async function usageFor(tokens: TokenUsage, body: object = {}, changes: Partial<Deployment> = {}) {
  const messages = [{ role: "user", content: "hello" }];
  const { run } = startWith(answers("fine", tokens), changes);
  return asCompletion(await run({ body: { messages, ...body } })).usage;
}

describe("The usage that a provider reports", () => {
  const search = { tools: [{ type: "web_search_20250305", name: "web_search" }] };
  const own = { tools: [{ type: "function", function: { name: "look_up" } }] };
  const searched = { ...PLAIN_USAGE, promptTokens: 5 * WINDOW };
  const several = { ...PLAIN_USAGE, completionTokens: 3 * WINDOW };

  it.each<[string, TokenUsage, object]>([
    ["a whole window each", { ...PLAIN_USAGE, promptTokens: WINDOW, completionTokens: WINDOW }, {}],
    ["a window for each of several answers", several, { n: 3 }],
    ["that of several calls where the provider runs tools itself", searched, search],
  ])("is accepted as long as a call of the model can have used it: %s", async (_, told, body) => {
    const usage = await usageFor(told, body);
    const { promptTokens: prompt_tokens, completionTokens: completion_tokens } = told;
    expect(usage).toMatchObject({ prompt_tokens, completion_tokens });
    expect(usage).not.toHaveProperty("estimated");
  });

  it.each<[string, TokenUsage, object, Partial<Deployment>, prompt: number, completion: number]>([
    ["by the window", ABSURD, {}, {}, WINDOW, WINDOW],
    ["in the part that is too big", { ...ABSURD, promptTokens: 10, cacheReadTokens: 0 }, {}, {}, 10, WINDOW],
    ["by a window for each of several answers", ABSURD, { n: 3 }, {}, WINDOW, 3 * WINDOW],
    ["by the window beside tools of the caller", searched, own, {}, WINDOW, 4],
    ["by the largest known window for a model without one", ABSURD, {}, { contextTokens: null }, 1e7, 1e7],
  ])("is bounded %s, and marked as estimated", async (_, told, body, changes, prompt, completion) => {
    const bounded = { prompt_tokens: prompt, completion_tokens: completion, estimated: true };
    expect(await usageFor(told, body, changes)).toMatchObject(bounded);
  });

  it("is bounded where the provider runs tools, too", async () => {
    expect((await usageFor(ABSURD, search)).prompt_tokens).toBeLessThan(TRILLIONS / 1000);
  });

  it("is settled and traced with the bound", async () => {
    const { run, limiter, trace } = startWith(answers("fine", ABSURD));
    const { usage } = asCompletion(await run());
    expect(usage).toMatchObject({ total_tokens: 2 * WINDOW, total_cost_usd: BOUNDED_COST });
    expect(trace().usage).toEqual(usage);
    expect(trace().attempts[0]?.usage).toMatchObject({ completion_tokens: WINDOW, estimated: true });
    expect(limiter.reservations[0]?.settled).toEqual([{ tokens: 2 * WINDOW, costUsd: BOUNDED_COST }]);
  });

  it("has no negative counts for clients, and none above what they are part of", async () => {
    const details = {
      prompt_tokens_details: { cached_tokens: 1e9, audio_tokens: -7 },
      completion_tokens_details: { reasoning_tokens: 1e9 },
      cached_tokens: -7,
      cache_read_input_tokens: 1e9,
      cost: 0.1,
      server_tool_use: { web_search_requests: 2 },
    };
    const usage = await usageFor({ ...PLAIN_USAGE, promptTokens: 5, completionTokens: 3, details });
    expect(usage).toMatchObject({
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 3 },
      cache_read_input_tokens: 8,
      cost: 0.1,
      server_tool_use: { web_search_requests: 2 },
    });
    expect(usage).not.toHaveProperty("cached_tokens");
    expect(usage.prompt_tokens_details).not.toHaveProperty("audio_tokens");
  });

  it("is bounded in a stream, complete or broken off", async () => {
    const told = { chunk: null, usage: ABSURD };
    const words = [role(), delta({ content: "fine" })];
    const answer = await startWith(streams(words, [finish(), told])).open();
    await readAll(answer);
    expect(answer.usage()).toMatchObject({ completion_tokens: WINDOW, estimated: true });
    const broken = startWith(streams(words, [told], cutOff("cut_off")));
    await expect(readAll(await broken.open())).rejects.toMatchObject({ code: "upstream_error" });
    expect(broken.trace().usage).toMatchObject({ total_cost_usd: BOUNDED_COST, estimated: true });
  });

  it("is bounded for a failed attempt", async () => {
    const { run, trace } = startWith(fails("server_error", { status: 500, usage: ABSURD }));
    await expect(run()).rejects.toMatchObject({ code: "upstream_error" });
    const counts = { prompt_tokens: WINDOW, completion_tokens: WINDOW, total_cost_usd: BOUNDED_COST };
    expect(trace().attempts[0]?.usage).toEqual({ ...counts, estimated: true });
  });

  it("is bounded by a window for each input of an embeddings request", async () => {
    const script: Script = { type: "embeddings", reply: { vectors: [[1], [1]], usage: ABSURD } };
    const { inference, trace } = startWith(script, { api: "embeddings", contextTokens: 8_000 });
    const choice = { type: "named", model: "model-a", provider: undefined } as const;
    const request = { choice, body: { input: ["one", "two"] }, fallbacks: [], metadata: {} };
    const { usage } = await inference.embed(request, contextOf());
    expect(usage).toMatchObject({ prompt_tokens: 16_000, estimated: true });
    expect(trace().attempts[0]?.usage).toMatchObject({ prompt_tokens: 16_000 });
  });
});
