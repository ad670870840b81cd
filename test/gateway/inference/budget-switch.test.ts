import { describe, expect, it } from "vitest";
import { type BudgetEntry, budgetSchema } from "../../../src/gateway/access/limits/budget.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import type { InferenceRequest } from "../../../src/gateway/inference/request.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { answers, FakeProvider, PLAIN_USAGE } from "../../fakes/provider.js";
import {
  asCompletion,
  contextOf,
  named,
  requestFor,
  routed,
  type StartOptions,
  startInference,
} from "./harness.js";

/** "medium" is the better one, at ten times the price. */
const deployments = [
  deploymentOf("lab", "large", { price: priceOf(100, 200) }),
  deploymentOf("lab", "medium", { price: priceOf(10, 20) }),
  deploymentOf("lab", "small", { price: priceOf(1, 2) }),
];
const presets = [{ name: "economy", models: ["small", "medium"], cost_weight: 0.9, max_tokens: 20 }];

const now = () => Date.UTC(2026, 0, 2);
const body = { messages: [{ role: "user", content: "x".repeat(384) }], max_tokens: 50 };
/** 100 × 10 / 1e6 + 50 × 20 / 1e6 dollars of "medium". */
const MEDIUM_USD = 0.002;

function start(budget: Partial<BudgetEntry>, options: StartOptions = {}) {
  const limiter = new CountingLimiter(new MemoryCounters({ now, spend: new PeriodSpend() }), { now });
  limiter.useBudgets([
    budgetSchema.parse({
      ...{ name: "teams", by: "team", period: "day", at_limit: { preset: "economy" } },
      ...budget,
    }),
  ]);
  const provider = new FakeProvider("lab", answers("hi"));
  const started = startInference([provider], {
    ...{ deployments, limiter, ...options },
    settings: { presets, ...options.settings },
  });
  const spent = async () => (await limiter.budgetUse()).map(({ value, used }) => [value, used.nanoUsd]);
  return { ...started, provider, spent };
}

const run = async (started: ReturnType<typeof start>, changes: Partial<InferenceRequest>) =>
  asCompletion(await started.inference.run(requestFor({ body, ...changes }), contextOf()));
const { promptTokens: prompt, completionTokens: completion } = PLAIN_USAGE;
const costOf = (input: number, output: number) => Math.round((prompt * input + completion * output) * 1000);

describe("A used-up budget with a preset", () => {
  it("leaves requests alone while they fit", async () => {
    const started = start({ usd: MEDIUM_USD });
    const answer = await run(started, { choice: named("medium") });
    expect([answer.model, answer.routing]).toEqual(["medium", null]);
    expect(await started.spent()).toEqual([["search", costOf(10, 20)]]);
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
    expect(started.trace().routing?.preset).toBe("economy");
    const [model = ""] = [answer.model];
    const price = model === "small" ? costOf(1, 2) : costOf(10, 20);
    expect(await started.spent()).toEqual([["search", price]]);
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
    expect(await started.spent()).toEqual([["search", costOf(10, 20)]]);
  });

  it("lowers the limit of tokens of a request in its client's own format, too", async () => {
    const started = start({ usd: 1e-9 });
    await run(started, {
      kind: "messages",
      choice: named("medium"),
      native: {
        ...{ use: "preferred", need: null },
        request: { api: "messages", body: { max_tokens: 50, messages: [] }, headers: {}, replaceable: true },
      },
    });
    expect(started.router.requests).toHaveLength(1);
    expect(started.provider.calls[0]?.body).toMatchObject({ max_tokens: 20 });
  });

  it.each<[string, Partial<InferenceRequest>]>([
    [
      "only a model for text completions can answer",
      { needsCompletions: { param: "echo", what: "its prompt" } },
    ],
    [
      "only one API has what is asked for",
      {
        native: {
          ...{ use: "required", need: { param: "tools", what: "a tool" } },
          request: { api: "responses", body: {}, headers: {}, replaceable: false },
        },
      },
    ],
    [
      "a video must be seen",
      { body: { messages: [{ role: "user", content: [{ type: "video_url", video_url: { url: "x" } }] }] } },
    ],
  ])("refuses a request where %s", async (_why, changes) => {
    const started = start({ usd: 1e-9 });
    await expect(run(started, { choice: named("medium"), ...changes })).rejects.toMatchObject({
      code: "budget_exceeded",
      message: expect.stringContaining('of the budget "teams" (team "search")'),
    });
    expect(started.provider.calls).toEqual([]);
  });

  it("refuses what a comparison asks: another model would not answer its question", async () => {
    const started = start({ by: "all", usd: MEDIUM_USD / 2 });
    const asked = run(started, { kind: "comparison", choice: named("medium") });
    await expect(asked).rejects.toMatchObject({ code: "budget_exceeded" });
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
