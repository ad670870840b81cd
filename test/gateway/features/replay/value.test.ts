/** `GET /admin/traces/value`: every figure against the traces that are stored. */
import { describe, expect, it } from "vitest";
import type { RoutingBody } from "../../../../src/engine/router/routing-body.js";
import { valueSchema } from "../../../../src/gateway/features/replay/value-schema.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { fakeCatalog } from "../../../fakes/catalog.js";
import { deploymentOf } from "../../../fakes/deployments.js";
import { FakeRouter } from "../../../fakes/router.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { serverLimits } from "../../../support/server-limits.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { NOON, routedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";

const MODELS = { twin: [0.9, 0.03], large: [0.9, 0.01], small: [0.7, 0.002] } as const;
const ROUTER = new FakeRouter(
  Object.entries(MODELS).map(([model, [quality, costUsd]]) => ({
    model,
    provider: "openai",
    quality,
    costUsd,
  })),
);
const WEEK_MS = 7 * 86_400_000;
const near = (value: number) => expect.closeTo(value, 9);

/** Answered by `small`, billed twice what is expected of it, unless it says otherwise. */
function routed(usd = 0.004, parts: Partial<Trace> = {}): Trace {
  const trace = routedTrace({ model: "small", usage: { ...USAGE, total_cost_usd: usd }, ...parts });
  const candidates = Object.keys(MODELS).map((model) => ({ model })) as unknown as RoutingBody["candidates"];
  return { ...trace, routing: trace.routing && { ...trace.routing, candidates } };
}

const rated = (trace: Trace, score: number): Trace => ({
  ...trace,
  feedback: { score, comment: null, givenAtMs: NOON },
});

/** With a preset, and its bill compared with the baseline's. */
function supported(createdAtMs: number, model = "large"): Trace {
  const baseline = {
    baseline_model: model,
    baseline_cost_usd: 0.02,
    lost_cache_tokens: 0,
    saved_usd: 0.016,
  };
  const trace = routed(0.004, { createdAtMs, savings: baseline });
  return { ...trace, routing: trace.routing && { ...trace.routing, preset: "support" } };
}

const TRACES = [
  ...Array.from({ length: 30 }, (_, at) =>
    rated(routed(0.004, { createdAtMs: NOON + at }), at % 3 === 0 ? 0 : 1),
  ),
  ...Array.from({ length: 10 }, (_, at) => supported(NOON + WEEK_MS + at)),
  // Not routed, only decided, failed: read, and not compared.
  rated(traceWith({ createdAtMs: NOON }), 0.5),
  routed(0, { createdAtMs: NOON, usage: null, attempts: [], model: null }),
  routed(0, { createdAtMs: NOON, status: "error" }),
];

async function valueFrom(traces: readonly Trace[], baselineModel?: string) {
  const limits = serverLimits(baselineModel === undefined ? {} : { baselineModel });
  const app = startTestServer({
    ...{ traces: new MemoryTraceStore(traces), router: ROUTER, limits },
    catalog: { ...fakeCatalog, deployments: (name) => [deploymentOf("openai", name.replace("openai/", ""))] },
  }).app;
  return (await get(app, "/admin/traces/value", { "x-api-key": ADMIN_KEY })).json();
}

describe("GET /admin/traces/value", () => {
  it("says what was saved against the best fixed models, by week and preset, which add up", async () => {
    const body = await valueFrom(TRACES);
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
      spent_usd: near(0.16),
      saved_usd: { value: 0, low: 0, high: 0 },
    });
    expect(body.always).toMatchObject([
      // 40 × 0.01, twice as expected, less what was billed.
      { models: [{ model: "large" }], saved_usd: { value: near(0.8 - 0.16) }, quality: { value: near(0.2) } },
      { models: [{ model: "small" }], saved_usd: { value: near(0) }, quality: { value: near(0) } },
    ]);
    expect(body.weeks).toMatchObject([
      { start: "2026-01-12", requests: 30, spent_usd: near(0.12) },
      { start: "2026-01-19", requests: 10, spent_usd: near(0.04) },
    ]);
    expect(body.presets).toMatchObject([
      { preset: null, cost_weight: 0.3, requests: 30 },
      { preset: "support", cost_weight: 0.3, requests: 10 },
    ]);
  });

  it("compares with the configured baseline for the whole time, and says since when bills were compared with it", async () => {
    expect(await valueFrom(TRACES, "large")).toMatchObject({
      baseline_model: "large",
      billed: { since: "2026-01-22", requests: 10, baseline_cost_usd: 0.2, saved_usd: 0.16 },
      // `small` alone is as good: `large` has no share at equal quality.
      saving: {
        models: [
          { model: "large", share: 0 },
          { model: "small", share: 1 },
        ],
        saved_usd: { value: near(0) },
      },
    });
    // What was compared with another baseline before, and the same one by another name of it.
    const others = [supported(NOON, "dear"), supported(NOON + 1, "openai/large")];
    expect((await valueFrom([...TRACES, ...others], "openai/large")).billed).toEqual({
      since: "2026-01-15",
      requests: 11,
      baseline_cost_usd: near(0.22),
      saved_usd: near(0.176),
    });
    expect(await valueFrom(TRACES, "openai/large")).toEqual({
      ...(await valueFrom(TRACES, "large")),
      request_id: expect.any(String),
    });
    expect((await valueFrom(TRACES)).billed).toBeNull();
    const { saving, always } = await valueFrom(TRACES, "never-a-candidate");
    expect([saving.models, always.length]).toEqual([[{ model: "small", share: 1 }], 2]);
  });

  it("says plainly that a fixed model would have been cheaper at no loss of quality", async () => {
    const twins = Array.from({ length: 40 }, (_, at) =>
      routed(0.03, { createdAtMs: NOON + at, model: "twin" }),
    );
    const { saving, cheaper } = await valueFrom(twins);
    expect(cheaper).toEqual(saving);
    expect(cheaper).toMatchObject({
      models: [{ model: "large", share: 1 }],
      spent_usd: near(1.2),
      saved_usd: { value: near(-0.8), high: near(0.4 * Math.exp(1.96 * 0.5) - 1.2) },
      saved_share: { value: near(-2) },
    });
  });

  it("has no saving where nothing was billed, as in the sandbox", async () => {
    const empty = { compared: 2, saving: null, cheaper: null, weeks: [], presets: [], always: [] };
    expect(await valueFrom([routed(0), routed(0)])).toMatchObject(empty);
  });

  it("has the mean of clients' scores with its interval, by model, preset and week, and how many are missing", async () => {
    const { feedback } = await valueFrom(TRACES);
    const mean = { value: near(20.5 / 31), low: expect.closeTo(0.4854, 4), high: expect.closeTo(0.8017, 4) };
    const all = { count: 31, mean };
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
    expect((await valueFrom([])).feedback).toMatchObject({ count: 0, mean: null, missing: 385 });
  });
});
