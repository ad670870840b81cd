/** The routes under `/admin` that the console was the reason for. */
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { shippedCatalogFile } from "../../../../src/engine/catalog/catalog-file.js";
import { benchmarkScoresSchema, explanationSchema } from "../../../../src/gateway/api/explanation.js";
import {
  adminProviderListSchema,
  connectionTestSchema,
} from "../../../../src/gateway/features/providers/schema.js";
import { seriesSchema } from "../../../../src/gateway/features/traces/schema/series.js";
import type { FakeInference } from "../../../fakes/inference.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, errorOf, get, post, startTestServer } from "../../server.js";
import { failedTrace, NOON, traceWith } from "../../traces/trace-for-test.js";

const HOUR = 3_600_000;
let store: MemoryTraceStore;
let app: FastifyInstance;
let inference: FakeInference;
beforeEach(() => {
  store = new MemoryTraceStore([
    traceWith(),
    traceWith({ createdAtMs: NOON + HOUR, model: "other" }),
    failedTrace({ createdAtMs: NOON + HOUR }),
  ]);
  ({ app, inference } = startTestServer({ traces: store }));
});

const admin = { "x-api-key": ADMIN_KEY };
const asAdmin = (url: string, headers: Record<string, string> = {}) =>
  get(app, url, { ...admin, ...headers });
const DAY = "start_date=2026-01-15T12:00:00Z&end_date=2026-01-16";

describe("GET /admin/traces/series", () => {
  const series = (query: string, headers = {}) => asAdmin(`/admin/traces/series?${query}`, headers);

  it("returns a point for each step with requests", async () => {
    const response = await series(`${DAY}&step=3600`);
    expect(response.statusCode).toBe(200);
    const body = seriesSchema.parse(response.json());
    expect(body).toMatchObject({ step: 3600, start_date: "2026-01-15T12:00:00.000Z" });
    expect(body.data.map(({ start, requests, errors }) => [start, requests, errors])).toEqual([
      ["2026-01-15T12:00:00.000Z", 1, 0],
      ["2026-01-15T13:00:00.000Z", 2, 1],
    ]);
    expect(body.data[1]).toMatchObject({ group: null, latency_ms: { p50: 812.5, p95: 812.5 } });
  });

  it("splits the filtered requests by the requested dimension", async () => {
    const { data } = (await series(`${DAY}&step=3600&by=model&status=success`)).json();
    expect(data.map(({ group }: { group: string }) => group)).toEqual(["gpt-4o-mini", "other"]);
  });

  it("leaves percentiles out on demand", async () => {
    const body = (await series(`${DAY}&step=3600&percentiles=none`)).json();
    expect(seriesSchema.parse(body).data[1]).toMatchObject({ requests: 2, latency_ms: null, ttft_ms: null });
  });

  it("answers 304 to a client that has the current series", async () => {
    const first = await series(`${DAY}&step=60`);
    const tag = String(first.headers.etag);
    const again = await series(`${DAY}&step=60`, { "if-none-match": tag });
    expect({ status: again.statusCode, body: again.body }).toEqual({ status: 304, body: "" });
    await store.append([traceWith({ createdAtMs: NOON + 5 * HOUR })]);
    expect((await series(`${DAY}&step=60`, { "if-none-match": tag })).statusCode).toBe(200);
  });

  it.each([
    ["step=60", "start_date", "`start_date` is missing"],
    [DAY, "step", "whole number of seconds"],
    [`${DAY}&step=3600&by=model&top=1001`, "top", "whole number from 1 to 1000"],
    [`${DAY}&step=3600&top=5`, "top", "limits the values of `by`"],
    [`${DAY}&step=10`, "step", "Use a `step` of 22 or more."],
    [`${DAY}&step=60&by=modle`, "by", 'Did you mean "model"?'],
    [`${DAY}&step=60&percentiles=false`, "percentiles", "Leave it out, or write none."],
  ])("refuses %s", async (query, param, message) => {
    const told = { code: "invalid_request", param, message: expect.stringContaining(message) };
    expect(await errorOf(series(query))).toMatchObject(told);
  });
});

describe("GET /admin/providers", () => {
  it("lists the keys of a provider with their health", async () => {
    const called = { state: "usable", reason: null, rests_for_ms: 0, calls: 8, failures: 1 } as const;
    const models = [{ upstream_model: "gpt-4o-mini-2024-07-18", ...called }];
    const key = { name: "OPENAI_KEY_EU", weight: 1, ...called, in_flight: 3, models };
    inference.processHealth = { models: [], keys: [{ provider: "openai", ...key }] };
    const { data } = adminProviderListSchema.parse((await asAdmin("/admin/providers")).json());
    expect(data.map(({ keys }) => keys)).toEqual([[key], [], [], []]);
  });

  it("lists every provider with its models, or what would enable it, without the operator's own parameters", async () => {
    const response = await asAdmin("/admin/providers");
    const { data, catalog_as_of: day } = adminProviderListSchema.parse(response.json());
    expect(day).toBe(shippedCatalogFile().as_of);
    expect(data.map(({ id, enabled, remedy }) => [id, enabled, remedy])).toEqual([
      ["openai", true, "set OPENAI_API_KEY"],
      ["azure", false, "set AZURE_API_KEY"],
      ["lab", true, "set LAB_KEY"],
      ["anthropic", false, "set ANTHROPIC_API_KEY"],
    ]);
    const served = data.map(({ models }) => models.map(({ model }) => model));
    expect(served).toEqual([["gpt-4o-mini"], [], ["lab/own model"], []]);
    expect(data[0]?.models[0]).toMatchObject({
      upstream_model: "gpt-4o-mini-2024-07-18",
      price: { input_usd_per_mtok: 0.15 },
      price_source: "price_list",
      retires_at: "2027-02-28",
      successor: "gpt-6-luna",
    });
    expect(data[2]?.models[0]).toMatchObject({
      price: null,
      price_source: null,
      retires_at: null,
      successor: null,
    });
    expect(response.body).not.toContain("secret");
  });
});

describe("POST /admin/providers/{id}/test", () => {
  const asked: object[] = [];
  const { app: own } = startTestServer({
    testConnection: async (request) => {
      asked.push(request);
      return {
        provider: "openai",
        model: "gpt-4o-mini",
        upstreamModel: "gpt-4o-mini",
        code: "rate_limited",
        status: 429,
        message: "Slow down.",
        latencyMs: 81.5,
        usage: null,
        costUsd: null,
      };
    },
  });
  const test = (payload: object) => post(own, "/admin/providers/openai/test", { headers: admin, payload });

  it("returns how the provider answered, with or without a named model", async () => {
    const response = await test({ model: "gpt-4o-mini" });
    expect(connectionTestSchema.parse(response.json())).toMatchObject({
      object: "provider.test",
      ok: false,
      code: "rate_limited",
      status: 429,
      message: "Slow down.",
      latency_ms: 81.5,
      usage: null,
      cost_usd: null,
    });
    expect((await test({})).statusCode).toBe(200);
    expect(asked).toEqual([
      { provider: "openai", model: "gpt-4o-mini" },
      { provider: "openai", model: undefined },
    ]);
  });
});

describe("POST /admin/router/explain", () => {
  const messages = [{ role: "user", content: "hello" }];
  const explain = (payload: object) => post(app, "/admin/router/explain", { payload, headers: admin });

  it("returns the decision, the choice at other weights, and the evidence, without a trace", async () => {
    const response = await explain({ messages, cost_weight: 0.3 });
    expect(response.statusCode).toBe(200);
    const body = explanationSchema.parse(response.json());
    expect(body.routing).toMatchObject({ selected_model: "large", cost_weight: 0.3 });
    expect(body.choices).toEqual([
      { from_cost_weight: 0, model: "large", expected_quality: 0.9, expected_cost_usd: 0.01 },
    ]);
    expect(body.nearest).toEqual([
      { benchmark: "mmlu_pro", similarity: 0.64, ease: 0.5, scores: { large: 0.9 } },
    ]);
  });

  it("decides among the named models, or among those available", async () => {
    await explain({ messages, models: ["small", "medium"] });
    await explain({ messages, runnable_only: true });
    const [named, runnable] = inference.router.requests.slice(-2);
    expect(named?.models).toEqual(["small", "medium"]);
    expect([runnable?.canRun?.("gpt-4o-mini"), runnable?.canRun?.("claude-sonnet-4")]).toEqual([true, false]);
  });

  it("refuses unknown names, with a hint", async () => {
    expect((await errorOf(explain({ messages, cost_wieght: 1 }))).message).toContain("cost_weight");
    expect((await errorOf(explain({}))).param).toBe("messages");
  });
});

describe("GET /admin/router/benchmark-scores", () => {
  it("returns the scores of each model on each benchmark", async () => {
    const { data } = benchmarkScoresSchema.parse((await asAdmin("/admin/router/benchmark-scores")).json());
    expect(data).toEqual([
      { model: "large", benchmarks: [{ benchmark: "mmlu_pro", samples: 60, mean_quality: 0.9 }] },
      { model: "medium", benchmarks: [{ benchmark: "mmlu_pro", samples: 60, mean_quality: 0.8 }] },
      { model: "small", benchmarks: [{ benchmark: "mmlu_pro", samples: 60, mean_quality: 0.6 }] },
    ]);
  });
});
