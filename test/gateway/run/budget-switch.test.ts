import { describe, expect, it } from "vitest";
import { type BudgetEntry, budgetSchema } from "../../../src/gateway/access/limits/budget.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, PLAIN_USAGE } from "../../fakes/provider.js";
import { asCompletion, contextOf, named, requestFor, routed, startInference } from "./harness.js";

/** "medium" is the better one, at ten times the price. */
const deployments = [
  deploymentOf("lab", "large", { price: priceOf(100, 200) }),
  deploymentOf("lab", "medium", { price: priceOf(10, 20) }),
  deploymentOf("lab", "small", { price: priceOf(1, 2) }),
];
const presets = [
  { name: "economy", models: ["small", "medium"], cost_weight: 0.9, max_tokens: 20 },
  { name: "plain", models: ["small", "medium"] },
];

const now = () => Date.UTC(2026, 0, 2);
const body = { messages: [{ role: "user", content: "x".repeat(384) }], max_tokens: 50 };
/** 100 × 10 / 1e6 + 50 × 20 / 1e6 dollars of "medium". */
const MEDIUM_USD = 0.002;

function start(budget: Partial<BudgetEntry>) {
  const limiter = new CountingLimiter(new MemoryCounters({ now, spend: new PeriodSpend() }), { now });
  const teams = { name: "teams", by: "team", period: "day", at_limit: { preset: "economy" } };
  limiter.useBudgets([budgetSchema.parse({ ...teams, ...budget })]);
  const provider = new FakeProvider("lab", answers("hi"));
  const started = startInference([provider], { deployments, limiter, settings: { presets } });
  const spent = async () => (await limiter.budgetUse()).map(({ value, used }) => [value, used.nanoUsd]);
  return { ...started, provider, spent };
}

const run = async (started: ReturnType<typeof start>, changes: Partial<InferenceRequest>) =>
  asCompletion(await started.run({ body, ...changes }));
const { promptTokens: prompt, completionTokens: completion } = PLAIN_USAGE;
const costOf = (input: number, output: number) => Math.round((prompt * input + completion * output) * 1000);

describe("A used-up budget with a preset", () => {
  it("leaves requests alone while they fit", async () => {
    const started = start({ usd: MEDIUM_USD });
    const answer = await run(started, { choice: named("medium") });
    expect([answer.model, answer.routing]).toEqual(["medium", null]);
    expect(await started.spent()).toEqual([["search, named by callers", costOf(10, 20)]]);
  });

  it("has a preset without a weight answer by that of the key, as `auto:NAME` does", async () => {
    const started = start({ usd: MEDIUM_USD - 1e-9, at_limit: { preset: "plain" } });
    const context = contextOf();
    const principal = { ...context.principal, costWeight: 0.7 };
    await started.inference.run(requestFor({ body, choice: named("medium") }), { ...context, principal });
    expect(started.router.requests).toEqual([expect.objectContaining({ costWeight: 0.7 })]);
  });

  it("has it answer in the place of a named model, by its models, weight and limit of tokens", async () => {
    const started = start({ usd: MEDIUM_USD - 1e-9 });
    const answer = await run(started, { choice: named("medium"), fallbacks: ["large"] });
    expect(started.router.requests).toEqual([
      expect.objectContaining({ models: ["small", "medium"], costWeight: 0.9, maxTokens: 20 }),
    ]);
    expect(answer.limitHeaders["x-sextant-budget"]).toBeUndefined();
    expect(answer.routing).toMatchObject({
      preset: "economy",
      reason: expect.stringContaining(
        "the budget teams is used up, and the preset economy answers instead of medium",
      ),
    });
    expect(started.provider.calls[0]?.body).toMatchObject({ max_tokens: 20 });
    expect(started.trace().routing).toMatchObject({ preset: "economy", max_tokens: 20 });
    const price = answer.model === "small" ? costOf(1, 2) : costOf(10, 20);
    expect(await started.spent()).toEqual([["search, named by callers", price]]);
  });

  it("has it answer in the place of a choice among all, once the choice has a price", async () => {
    const started = start({ usd: 0.01 });
    const answer = await run(started, { choice: routed(["large", "small"]) });
    expect(started.router.requests.map(({ models }) => models)).toEqual([
      ["large", "small"],
      ["small", "medium"],
    ]);
    expect(answer.routing?.reason).toContain("the budget teams is used up, and the preset economy answers");
    expect(answer.model).not.toBe("large");
    expect(await started.spent()).toEqual([["search, named by callers", costOf(10, 20)]]);
  });

  it("lowers the limit of tokens of a request in its client's own format, too", async () => {
    const started = start({ usd: 1e-9 });
    const own = { max_tokens: 50, messages: [] };
    const request = { api: "messages", body: own, headers: {}, replaceable: true } as const;
    const native = { use: "preferred", need: null, request } as const;
    await run(started, { kind: "messages", choice: named("medium"), native });
    expect(started.router.requests).toHaveLength(1);
    expect(started.provider.calls[0]?.body).toMatchObject({ max_tokens: 20 });
  });

  it("lowers the limit of tokens of what models get that take functions alone, too", async () => {
    const started = start({ usd: 1e-9 });
    const functionsOnly = { body, leftOut: ["web_search"] };
    await run(started, { kind: "responses", choice: named("medium"), functionsOnly });
    expect(started.provider.calls[0]?.body).toMatchObject({ max_tokens: 20 });
  });

  const responses = { api: "responses", body: {}, headers: {}, replaceable: false } as const;
  const native = { use: "required", need: { param: "tools", what: "a tool" }, request: responses } as const;
  const video = { role: "user", content: [{ type: "video_url", video_url: { url: "x" } }] };
  it.each<[string, Partial<InferenceRequest>]>([
    ["only text completions can answer", { needsCompletions: { param: "echo", what: "its prompt" } }],
    ["only one API has what is asked for", { native }],
    ["a video must be seen", { body: { messages: [video] } }],
    ["a comparison asks, whose question another model would not answer", { kind: "comparison" }],
  ])("refuses a request where %s", async (_why, changes) => {
    const started = start({ usd: 1e-9 });
    await expect(run(started, { choice: named("medium"), ...changes })).rejects.toMatchObject({
      code: "budget_exceeded",
      message: expect.stringContaining('of the budget "teams" (team "search, named by callers")'),
    });
    expect(started.provider.calls).toEqual([]);
  });

  it("stays within another budget that has none", async () => {
    const started = start({ usd: 1e-9, at_limit: undefined });
    await expect(run(started, { choice: named("small") })).rejects.toMatchObject({ code: "budget_exceeded" });
  });
});

describe("The team of a key", () => {
  it("stands in the trace of its requests, and counts, whatever they say", async () => {
    const started = start({ usd: 1 });
    const context = contextOf();
    const principal = { ...context.principal, team: "billing" };
    await started.inference.run(requestFor({ body, choice: named("small") }), { ...context, principal });
    expect(started.trace().metadata).toEqual({ team: "billing" });
    expect(await started.spent()).toEqual([["billing", costOf(1, 2)]]);
  });
});
