/** `GET /admin/traces/value`: every figure against the traces that are stored. */
import { describe, expect, it } from "vitest";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import { valueSchema } from "../../../../src/gateway/features/replay/value-schema.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { FakeRouter } from "../../../fakes/router.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { serverLimits } from "../../../support/server-limits.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { NOON, routedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";

const ROUTER = new FakeRouter([
  { model: "twin", provider: "openai", quality: 0.9, costUsd: 0.03 },
  { model: "large", provider: "openai", quality: 0.9, costUsd: 0.01 },
  { model: "small", provider: "openai", quality: 0.7, costUsd: 0.002 },
]);
const WEEK_MS = 7 * 86_400_000;

/** Answered by `small`, billed twice what is expected of it. */
function routed(parts: Partial<Trace> = {}, preset?: string): Trace {
  const trace = routedTrace({ model: "small", usage: { ...USAGE, total_cost_usd: 0.004 }, ...parts });
  const candidates = ["large", "twin", "small"].map((model) => ({
    model,
  })) as unknown as RoutingBody["candidates"];
  const routing = trace.routing && { ...trace.routing, candidates, ...(preset !== undefined && { preset }) };
  return { ...trace, routing };
}
const rated = (trace: Trace, score: number): Trace => ({
  ...trace,
  feedback: { score, comment: null, givenAtMs: NOON },
});
const compared = (saved_usd: number) => ({
  baseline_model: "large",
  baseline_cost_usd: 0.02,
  lost_cache_tokens: 0,
  saved_usd,
});

const TRACES = [
  ...Array.from({ length: 30 }, (_, at) => rated(routed({ createdAtMs: NOON + at }), at % 3 === 0 ? 0 : 1)),
  ...Array.from({ length: 10 }, (_, at) =>
    routed({ createdAtMs: NOON + WEEK_MS + at, savings: compared(0.016) }, "support"),
  ),
  // Not routed, only decided, failed: read, and not compared.
  rated(traceWith({ createdAtMs: NOON }), 0.5),
  routed({ createdAtMs: NOON, usage: null, attempts: [], model: null }),
  routed({ createdAtMs: NOON, status: "error" }),
];

async function savedOf(
  traces: readonly Trace[],
  { baselineModel, query = "" }: { readonly baselineModel?: string; readonly query?: string } = {},
) {
  const store = new MemoryTraceStore(traces);
  const limits = serverLimits(baselineModel === undefined ? {} : { baselineModel });
  const { app } = startTestServer({ traces: store, router: ROUTER, limits });
  const response = await get(app, `/admin/traces/value${query}`, { "x-api-key": ADMIN_KEY });
  return response.json();
}

describe("GET /admin/traces/value", () => {
  it("says what was saved against the best fixed models, by week and preset, which add up", async () => {
    const body = await savedOf(TRACES);
    expect(valueSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      matching: 43,
      sampled: 43,
      compared: 40,
      baseline_model: null,
      cheaper: null,
    });
    // `small` is as good as itself, and costs the same.
    expect(body.saving).toMatchObject({
      models: [{ model: "small", share: 1 }],
      requests: 40,
      spent_usd: expect.closeTo(0.16, 9),
      saved_usd: { value: 0, low: 0, high: 0 },
    });
    expect(body.always.map(({ models: [one] }: { models: { model: string }[] }) => one?.model)).toEqual([
      "large",
      "small",
    ]);
    expect(body.always[0]).toMatchObject({
      // 40 × 0.01, twice as expected, less what was billed.
      saved_usd: { value: expect.closeTo(0.8 - 0.16, 9) },
      quality: { value: expect.closeTo(0.2, 9) },
    });
    expect(body.weeks).toMatchObject([
      { start: "2026-01-12", requests: 30, spent_usd: expect.closeTo(0.12, 9) },
      { start: "2026-01-19", requests: 10, spent_usd: expect.closeTo(0.04, 9) },
    ]);
    expect(body.presets).toMatchObject([
      { preset: null, cost_weight: 0.3, requests: 30 },
      { preset: "support", cost_weight: 0.3, requests: 10 },
    ]);
  });

  it("compares with the configured baseline for the whole time, and says since when bills were compared with it", async () => {
    const body = await savedOf(TRACES, { baselineModel: "large" });
    expect(body).toMatchObject({
      baseline_model: "large",
      billed: { since: "2026-01-22", requests: 10, baseline_cost_usd: 0.2, saved_usd: 0.16 },
    });
    // `small` alone is as good: `large` has no share at equal quality.
    expect(body.saving).toMatchObject({
      models: [
        { model: "large", share: 0 },
        { model: "small", share: 1 },
      ],
      saved_usd: { value: expect.closeTo(0, 9) },
    });
    const unknown = await savedOf(TRACES, { baselineModel: "never-a-candidate" });
    expect(unknown.saving.models).toEqual([{ model: "small", share: 1 }]);
  });

  it("says plainly that a fixed model would have been cheaper at no loss of quality", async () => {
    const twin = (at: number) =>
      routed({ createdAtMs: NOON + at, model: "twin", usage: { ...USAGE, total_cost_usd: 0.03 } });
    const { saving, cheaper } = await savedOf(Array.from({ length: 40 }, (_, at) => twin(at)));
    expect(cheaper).toEqual(saving);
    expect(cheaper).toMatchObject({
      models: [{ model: "large", share: 1 }],
      spent_usd: expect.closeTo(1.2, 9),
      saved_usd: { value: expect.closeTo(-0.8, 9), high: expect.closeTo(-0.8 + 1.96 * 0.5 * 0.4, 9) },
      saved_share: { value: expect.closeTo(-2, 9) },
    });
  });

  it("has no saving where nothing was billed, as in the sandbox", async () => {
    const free = Array.from({ length: 4 }, () => routed({ usage: { ...USAGE, total_cost_usd: 0 } }));
    expect(await savedOf(free)).toMatchObject({
      compared: 4,
      saving: null,
      weeks: [],
      presets: [],
      always: [],
    });
  });

  it("has the mean of clients' scores with its interval, by model, preset and week, and how many are missing", async () => {
    const { feedback } = await savedOf(TRACES);
    const all = {
      count: 31,
      mean: {
        value: expect.closeTo(20.5 / 31, 9),
        low: expect.closeTo(0.4854, 4),
        high: expect.closeTo(0.8017, 4),
      },
    };
    expect(feedback).toMatchObject({
      ...all,
      // 1.96² × 0.661 × 0.339 / 0.05² = 345, of which 31 are there.
      missing: 314,
      models: [
        { name: "small", count: 30 },
        { name: "gpt-4o-mini", count: 1, mean: { value: 0.5 } },
      ],
      presets: [{ name: null, ...all }],
      weeks: [{ name: "2026-01-12", ...all }],
    });
    expect((await savedOf([])).feedback).toMatchObject({ count: 0, mean: null, missing: 385 });
  });

  it("checks its parameters", async () => {
    expect((await savedOf([], { query: "?offset=3" })).error).toMatchObject({ param: "offset" });
  });
});
