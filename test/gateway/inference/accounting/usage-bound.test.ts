/** Counts of a provider that no call of the model can have used are bounded before they reach a budget or a trace. */
import { describe, expect, it } from "vitest";
import type { Deployment } from "../../../../src/engine/catalog/deployments/deployment.js";
import type { TokenUsage } from "../../../../src/gateway/providers/token-usage.js";
import { deploymentOf, priceOf } from "../../../fakes/deployments.js";
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
} from "../../../fakes/provider.js";
import { asCompletion, asStream, contextOf, readAll, requestFor, startInference } from "../harness.js";

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

const startWith = (script: Script, changes: Partial<Deployment> = {}) =>
  startInference([new FakeProvider("lab", script)], {
    deployments: [
      deploymentOf("lab", "model-a", { price: priceOf(1, 2), contextTokens: WINDOW, ...changes }),
    ],
    settings: { retries: 0 },
  });

async function usageFor(tokens: TokenUsage, body: object = {}, changes: Partial<Deployment> = {}) {
  const { inference } = startWith(answers("fine", tokens), changes);
  const messages = [{ role: "user", content: "hello" }];
  return asCompletion(await inference.run(requestFor({ body: { messages, ...body } }), contextOf())).usage;
}

describe("The usage that a provider reports", () => {
  it("is accepted as long as a call of the model can have used it", async () => {
    const full = { ...PLAIN_USAGE, promptTokens: WINDOW, completionTokens: WINDOW };
    const usage = await usageFor(full);
    expect(usage).toMatchObject({ prompt_tokens: WINDOW, completion_tokens: WINDOW });
    expect(usage).not.toHaveProperty("estimated");
  });

  it("is bounded by the context window, marked as estimated, and settled and traced with the bound", async () => {
    const { inference, limiter, trace } = startWith(answers("fine", ABSURD));
    const { usage } = asCompletion(await inference.run(requestFor(), contextOf()));
    expect(usage).toMatchObject({
      prompt_tokens: WINDOW,
      completion_tokens: WINDOW,
      total_tokens: 2 * WINDOW,
      total_cost_usd: BOUNDED_COST,
      estimated: true,
    });
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

  it("keeps the part that is possible", async () => {
    expect(await usageFor({ ...PLAIN_USAGE, completionTokens: TRILLIONS })).toMatchObject({
      prompt_tokens: PLAIN_USAGE.promptTokens,
      completion_tokens: WINDOW,
      estimated: true,
    });
  });

  it("is bounded in a stream, complete or broken off", async () => {
    const told = { chunk: null, usage: ABSURD };
    const words = [role(), delta({ content: "fine" })];
    const complete = startWith(streams(words, [finish(), told]));
    const answer = asStream(await complete.inference.run(requestFor({ stream: true }), contextOf()));
    await readAll(answer);
    expect(answer.usage()).toMatchObject({ completion_tokens: WINDOW, estimated: true });
    const broken = startWith(streams(words, [told], cutOff("cut_off")));
    const cut = asStream(await broken.inference.run(requestFor({ stream: true }), contextOf()));
    await expect(readAll(cut)).rejects.toMatchObject({ code: "upstream_error" });
    expect(broken.trace().usage).toMatchObject({ total_cost_usd: BOUNDED_COST, estimated: true });
  });

  it("is bounded for a failed attempt", async () => {
    const { inference, trace } = startWith(fails("server_error", { status: 500, usage: ABSURD }));
    await expect(inference.run(requestFor(), contextOf())).rejects.toMatchObject({ code: "upstream_error" });
    expect(trace().attempts[0]?.usage).toEqual({
      prompt_tokens: WINDOW,
      completion_tokens: WINDOW,
      total_cost_usd: BOUNDED_COST,
      estimated: true,
    });
  });

  it("may be a whole context window for each of several answers", async () => {
    const usage = await usageFor({ ...PLAIN_USAGE, completionTokens: 3 * WINDOW }, { n: 3 });
    expect(usage.completion_tokens).toBe(3 * WINDOW);
    expect(usage).not.toHaveProperty("estimated");
    expect(await usageFor(ABSURD, { n: 3 })).toMatchObject({
      prompt_tokens: WINDOW,
      completion_tokens: 3 * WINDOW,
    });
  });

  it("may be that of several calls of the model where the provider runs tools itself", async () => {
    const searched = { ...PLAIN_USAGE, promptTokens: 5 * WINDOW };
    const tools = [{ type: "web_search_20250305", name: "web_search" }];
    expect(await usageFor(searched, { tools })).not.toHaveProperty("estimated");
    expect((await usageFor(ABSURD, { tools })).prompt_tokens).toBeLessThan(TRILLIONS / 1000);
    const own = [{ type: "function", function: { name: "look_up" } }];
    expect(await usageFor(searched, { tools: own })).toMatchObject({ prompt_tokens: WINDOW });
  });

  it("is bounded by the largest known window where the model's is unknown", async () => {
    const usage = await usageFor(ABSURD, {}, { contextTokens: null });
    expect(usage).toMatchObject({ prompt_tokens: 10_000_000, completion_tokens: 10_000_000 });
  });

  it("is bounded by a window for each input of an embeddings request", async () => {
    const reply = { vectors: [[1], [1]], usage: ABSURD };
    const { inference, trace } = startWith(
      { type: "embeddings", reply },
      { api: "embeddings", contextTokens: 8_000 },
    );
    const choice = { type: "named", model: "model-a", provider: undefined } as const;
    const body = { input: ["one", "two"] };
    const { usage } = await inference.embed({ choice, body, fallbacks: [], metadata: {} }, contextOf());
    expect(usage).toMatchObject({ prompt_tokens: 16_000, estimated: true });
    expect(trace().attempts[0]?.usage).toMatchObject({ prompt_tokens: 16_000 });
  });
});
