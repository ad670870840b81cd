/** A budget holds whatever is called for a request: what a call may cost is reserved before it is made. */
import { describe, expect, it } from "vitest";
import type { Deployment } from "../../../src/engine/catalog/deployments/deployment.js";
import { type BudgetEntry, budgetSchema } from "../../../src/gateway/access/limits/budget.js";
import { CountingLimiter } from "../../../src/gateway/access/limits/limiter.js";
import { MemoryCounters } from "../../../src/gateway/access/limits/memory-counters.js";
import { PeriodSpend } from "../../../src/gateway/access/limits/period-spend.js";
import { NO_PAUSES } from "../../../src/gateway/run/pause.js";
import type { InferenceRequest } from "../../../src/gateway/run/request.js";
import { billedCostUsd } from "../../../src/gateway/traces/billed-usage.js";
import { deploymentOf, priceOf } from "../../fakes/deployments.js";
import { pausing } from "../../fakes/pauses.js";
import {
  answers,
  cutOff,
  FakeProvider,
  fails,
  PLAIN_USAGE,
  type Script,
  streams,
  textSteps,
} from "../../fakes/provider.js";
import { contextOf, named, readAll, routed, startInference } from "./harness.js";

const now = () => Date.UTC(2026, 0, 2);
/** 100 tokens of prompt, 50 of answer: a price of 10 and 20 dollars makes it $.002. */
const body = { messages: [{ role: "user", content: "x".repeat(384) }], max_tokens: 50 };
/** An answer that costs what was reserved for it. */
const whole = answers("hi", { ...PLAIN_USAGE, promptTokens: 100, completionTokens: 50 });
const at = (provider: string, model: string, price: number, changes: Partial<Deployment> = {}) =>
  deploymentOf(provider, model, { price: priceOf(price, 2 * price), ...changes });

function start(
  scripts: Readonly<Record<string, Script>>,
  deployments: readonly Deployment[],
  usd: number,
  pauses = NO_PAUSES,
) {
  const counters = new MemoryCounters({ now, spend: new PeriodSpend() });
  const refused: (string | null)[] = [];
  const limiter = new CountingLimiter(counters, { now, onRefusal: (_, __, by) => refused.push(by.budget) });
  const entry: Partial<BudgetEntry> = { name: "all", by: "all", usd };
  limiter.useBudgets([budgetSchema.parse(entry)]);
  const providers = Object.entries(scripts).map(([id, script]) => new FakeProvider(id, script));
  const settings = {
    circuitFailures: Number.MAX_SAFE_INTEGER,
    retries: 1,
    modelLimits: [{ model: "busy", max_concurrency: 1 }],
  };
  const started = startInference(providers, { deployments, limiter, settings, pauses });
  const spent = async () => ((await limiter.budgetUse())[0]?.used.nanoUsd ?? 0) / 1e9;
  const calls = () => Object.fromEntries(providers.map(({ id, calls }) => [id, calls.length]));
  const ask = (count: number, changes: Partial<InferenceRequest>) =>
    Promise.allSettled(Array.from({ length: count }, () => started.run({ body, ...changes })));
  return { ...started, limiter, refused, spent, calls, ask };
}

describe("A budget", () => {
  it.each<[string, Script]>([
    ["refuses for its rate", fails("rate_limited", { status: 429 })],
    ["fails", fails("server_error", { status: 500 })],
    ["breaks off", streams(cutOff())],
  ])(
    "is not exceeded by the fallback of a cheap model that %s, with 50 requests at one time",
    async (_, script) => {
      const deployments = [at("lab", "cheap", 1), at("pro", "dear", 1000)];
      // Room for four of $.2.
      const started = start({ lab: script, pro: whole }, deployments, 0.9);
      const outcomes = await started.ask(50, { choice: named("cheap"), fallbacks: ["dear"] });
      const answered = outcomes.filter(({ status }) => status === "fulfilled").length;
      expect([answered, started.calls().pro]).toEqual([4, 4]);
      const codes = () => started.sink.traces.map(({ attempts }) => attempts.at(-1)?.code);
      await expect.poll(() => codes().filter((code) => code === "over_budget").length).toBe(46);
      expect(await started.spent()).toBeLessThanOrEqual(0.9);
      expect([await started.spent(), started.refused]).toEqual([
        started.sink.traces.reduce((sum, trace) => sum + Math.round((billedCostUsd(trace) ?? 0) * 1e9), 0) /
          1e9,
        [],
      ]);
    },
  );

  it("is not waited for by a request whose fallback is busy, and then has no room in it", async () => {
    const deployments = [at("lab", "cheap", 1), at("pro", "busy", 1000)];
    const usage = { ...PLAIN_USAGE, promptTokens: 100, completionTokens: 50 };
    const started = start(
      { lab: fails("server_error"), pro: streams(...textSteps(["hi"], usage)) },
      deployments,
      0.3,
    );
    const first = await started.open({ body, choice: named("busy") });
    const second = started.ask(1, { choice: named("cheap"), fallbacks: ["busy"] });
    await started.time.advance(5_000);
    await started.limiter.reserve(contextOf().principal, { tokens: 0, costUsd: 0.09 });
    await readAll(first);
    await second;
    expect(started.calls()).toEqual({ lab: 2, pro: 1 });
  });

  it("has room for each retry of a call that may have cost something", async () => {
    const started = start({ pro: streams(cutOff()) }, [at("pro", "dear", 1000)], 0.3);
    await started.ask(1, { choice: named("dear"), stream: true });
    expect(started.calls()).toEqual({ pro: 1 });
    await started.traced();
    expect(started.trace().attempts.map(({ code }) => code)).toEqual(["cut_off", "over_budget"]);
  });

  it.each<[string, string, Partial<InferenceRequest>]>([
    ["an operator redirects to", "cheap", {}],
    ["only its dear host may answer", "medium", { choice: { ...named("medium"), hosts: { only: ["pro"] } } }],
  ])("refuses, by its name, a model that %s, and gives everything back", async (_, model, changes) => {
    const deployments = [
      ...[at("lab", "cheap", 1), at("pro", "dear", 1000)],
      ...[at("lab", "medium", 1), at("pro", "medium", 1000)],
    ];
    const pauses = pausing({ target: "cheap", redirect_to: "dear" });
    const started = start({ lab: whole, pro: whole }, deployments, 0.1, pauses);
    const [outcome] = await started.ask(1, { choice: named(model), ...changes });
    expect(outcome).toMatchObject({
      reason: { code: "budget_exceeded", message: expect.stringMatching(/may cost 0\.2 USD.*"all"/) },
    });
    expect([started.calls(), started.sink.traces, started.refused]).toEqual([
      { lab: 0, pro: 0 },
      [],
      ["all"],
    ]);
    expect(await started.spent()).toBe(0);
  });

  it.each<[string, InferenceRequest["choice"]]>([
    ["named", named("medium")],
    ["routed", routed()],
  ])("has the cheaper hosts of a %s model answer while it has no room for the others", async (_, choice) => {
    const deployments = [at("lab", "medium", 1), at("pro", "medium", 1000)];
    const started = start({ lab: whole, pro: whole }, deployments, 0.1);
    await started.ask(1, { choice: { ...choice, hosts: { order: ["pro", "lab"] } } });
    expect(started.calls()).toEqual({ lab: 1, pro: 0 });
    expect(started.trace().attempts.map(({ code }) => code)).toEqual(["over_budget", "ok"]);
  });
});
