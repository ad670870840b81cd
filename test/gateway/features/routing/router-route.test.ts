import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { routingBody } from "../../../../src/engine/router/routing-body.js";
import { chatCompletionSchema } from "../../../../src/gateway/api/completion.js";
import { costWeightListSchema } from "../../../../src/gateway/api/cost-weights.js";
import { profileListSchema } from "../../../../src/gateway/api/profiles.js";
import { decisionSchema } from "../../../../src/gateway/api/routing.js";
import { type FakeInference, fakeRouting, USAGE, wholeAnswer } from "../../../fakes/inference.js";
import { FakeRouter } from "../../../fakes/router.js";
import { serverLimits } from "../../../support/server-limits.js";
import { errorOf, get, hello, NOW_MS, postRouter, startTestServer } from "../../server.js";

describe("POST /v1/router with execute: false", () => {
  const { app, inference } = startTestServer();

  it("answers with exactly the decision of the wire contract", async () => {
    const response = await postRouter(app, { ...hello, models: ["large", "small"], cost_weight: 0.5 });
    expect(response.statusCode).toBe(200);
    expect(response.headers["content-type"]).toBe("application/json; charset=utf-8");
    const requestId = response.headers["x-request-id"];
    expect(requestId).toMatch(/^req_[0-9A-HJKMNP-TV-Z]{26}$/);
    const decision = await new FakeRouter().route({
      messages: [{ role: "user", content: "hello" }],
      models: ["large", "small"],
      costWeight: 0.5,
    });
    expect(response.json()).toEqual({
      id: `route-${String(requestId).slice(4)}`,
      object: "router.decision",
      created: Math.floor(NOW_MS / 1000),
      model: "large",
      choices: [],
      usage: null,
      request_id: requestId,
      routing: routingBody(decision),
    });
    expect(response.json().routing).toMatchObject({ selected_model: "large", cost_weight: 0.5 });
    expect(decisionSchema.parse(response.json())).toEqual(response.json());
  });

  it("passes `max_mean_cost_usd`, and refuses it beside `cost_weight` and at 0", async () => {
    await postRouter(app, { ...hello, execute: true, max_mean_cost_usd: 0.002 });
    expect(inference.runs.at(-1)?.request.choice).toMatchObject({ maxMeanCostUsd: 0.002 });
    for (const body of [{ max_mean_cost_usd: 0.002, cost_weight: 0.3 }, { max_mean_cost_usd: 0 }])
      expect((await errorOf(postRouter(app, { ...hello, ...body }))).param).toBe("max_mean_cost_usd");
  });

  const tags = Array.from({ length: 16 }, (_, at) => [`${"k".repeat(62)}${10 + at}`, "v".repeat(512)]);
  it.each([
    { cost_weight: 1e9 },
    { messages: [{ role: "user", content: 'the key "__proto__": and {"constructor": 1} \u0000' }] },
    { metadata: Object.fromEntries(tags) },
  ])("accepts %j", async (body) => {
    const { app: large } = startTestServer({ limits: serverLimits({ maxBodyBytes: 100_000 }) });
    expect((await postRouter(large, { ...hello, ...body })).statusCode).toBe(200);
  });
});

describe("POST /v1/router with execute: true", () => {
  let app: FastifyInstance;
  let inference: FakeInference;
  beforeEach(() => {
    ({ app, inference } = startTestServer());
  });
  const body = { messages: hello.messages };

  it("is the default and runs the best model: OpenAI's answer, `routing` with `attempts`, headers", async () => {
    const routing = await fakeRouting();
    const attempts = [
      { provider: "openai", model: "large", status: 503, code: "overloaded", message: null, latency_ms: 3 },
      { provider: "anthropic", model: "medium", status: 200, code: "ok", message: null, latency_ms: 9 },
    ];
    for (const execute of [undefined, true]) {
      inference.outcomes.push(wholeAnswer({ routing, attempts, model: "medium", provider: "anthropic" }));
      const response = await postRouter(app, { ...body, execute });
      expect(response.statusCode, response.body).toBe(200);
      expect(response.json()).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-/),
        object: "chat.completion",
        model: "medium",
        provider: "anthropic",
        choices: [{ message: { content: "Hello!" } }],
        usage: USAGE,
        routing: { ...routing, attempts },
        request_id: response.headers["x-request-id"],
      });
      expect(chatCompletionSchema.parse(response.json())).toEqual(response.json());
      expect(response.headers).toMatchObject({
        "x-routing-model": "medium",
        "x-routing-provider": "anthropic",
      });
    }
    expect(inference.decisions).toEqual([]);
  });

  it("passes `models`, `cost_weight`, `max_tokens`, `temperature`, `metadata` and other fields to inference", async () => {
    const rest = { max_tokens: 9, temperature: 0.2, tools: [{ type: "function" }], seed: 3 };
    const ours = { models: ["large", "small"], cost_weight: 0.3, metadata: { team: "search" } };
    const { models, cost_weight: costWeight, metadata } = ours;
    for (const execute of [true, false]) {
      await postRouter(app, { ...body, ...rest, ...ours, provider: "openai", execute });
      expect((execute ? inference.runs : inference.decisions).at(-1)?.request).toEqual({
        kind: "router",
        choice: { type: "routed", models, costWeight, provider: "openai" },
        body: { ...body, ...rest },
        stream: false,
        fallbacks: [],
        metadata,
      });
    }
  });

  it("does not apply to `stream` with `execute: false`, which is answered as JSON", async () => {
    const response = await postRouter(app, { ...hello, stream: true });
    expect(response.json().object).toBe("router.decision");
  });

  it("sets `x-ratelimit-…` headers for decisions too", async () => {
    inference.limitHeaders = { "x-ratelimit-limit-requests": "60" };
    expect((await postRouter(app, hello)).headers).toMatchObject(inference.limitHeaders);
  });
});

const NO_REPORTS = { report: () => Promise.reject(new Error("nobody asks for a report")) };

describe("GET /v1/router/cost-weights", () => {
  it("says what weights mean in dollars, those of `auto` and its presets too", async () => {
    const router = new FakeRouter(undefined, (costWeight) => ({
      meanCostUsd: 0.01 * (1 - costWeight),
      usdPerPoint: 0.05 / costWeight,
    }));
    const presets = [{ name: "support", cost_weight: 0.5 }, { name: "plain" }];
    const chosen = { cost_weight: 0.3, rule: "max_loss", limit: 0.02, prompts: 50 } as const;
    const recommended = { ...chosen, saved_at: "2026-11-23T12:00:00.000Z", is_current: true };
    const setReports = { ...NO_REPORTS, sets: () => [{ name: "ours", recommended }] };
    const { app } = startTestServer({ router, setReports, limits: serverLimits({ presets }) });
    const response = await get(app, "/v1/router/cost-weights");
    const body = costWeightListSchema.parse(response.json());
    expect(body.data).toHaveLength(21);
    expect(body.data[0]).toEqual({ cost_weight: 0, meaning: { mean_cost_usd: 0.01, usd_per_point: null } });
    expect(body.data[4]).toEqual({
      cost_weight: 0.2,
      meaning: { mean_cost_usd: 0.008, usd_per_point: 0.25 },
    });
    expect(body.named.map(({ model, cost_weight: weight }) => [model, weight])).toEqual([
      ["auto", 0.2],
      ["auto:support", 0.5],
      ["auto:plain", 0.2],
    ]);
    expect(body.recommended.cost_weight).toBe(0.3);
  });
});

describe("GET /v1/router/profiles", () => {
  it("lists the profiles and their model ids", async () => {
    const corrections = new Map([["large", { ratio: 1.4, answers: 35 }]]);
    const chosen = { cost_weight: 0.3, rule: "max_loss", limit: 0.02, prompts: 50 } as const;
    const recommended = { ...chosen, saved_at: "2026-11-23T12:00:00.000Z", is_current: true };
    const setReports = {
      sets: () => [
        { name: "ours", recommended },
        { name: "new", recommended: null },
      ],
      ...NO_REPORTS,
    };
    const { app } = startTestServer({ lengthCorrections: () => corrections, setReports });
    const response = await get(app, "/v1/router/profiles");
    const body = response.json();
    expect(body).toMatchObject({ object: "list", profiles: ["large", "medium", "small"], count: 3 });
    expect(body.models).toEqual({ profiled: 3, live: 3, runnable: 0, candidates: 0 });
    expect(body.request_id).toBe(response.headers["x-request-id"]);
    expect(body.sets).toEqual([
      { name: "ours", recommended_cost_weight: recommended },
      { name: "new", recommended_cost_weight: null },
    ]);
    const placed = {
      model: "small",
      basis: "placed",
      samples: 0,
      expected_quality: 0.6,
      mean_cost_usd: null,
    };
    expect(body.data[2]).toMatchObject({
      ...placed,
      length_correction: null,
      published: [{ benchmark: "gpqa_diamond", source: "example", date: "2026-10-01" }],
      embedder: "fake",
      built_at: "2026-01-02T03:04:05.000Z",
    });
    expect(body.data[0]).toMatchObject({
      model: "large",
      basis: "measured",
      length_correction: { ratio: 1.4, answers: 35 },
      benchmarks: { mmlu_pro: 60, zeroeval: 40 },
    });
    expect(profileListSchema.parse(body)).toEqual(body);
  });
});

describe("GET /healthz and GET /readyz", () => {
  it("answer without credentials", async () => {
    const { app } = startTestServer();
    const health = await app.inject({ url: "/healthz" });
    const ids = (response: typeof health) => ({ request_id: response.headers["x-request-id"] });
    expect(health.statusCode).toBe(200);
    expect(health.json()).toEqual({ status: "ok", ...ids(health) });
    const ready = await app.inject({ url: "/readyz" });
    expect(ready.statusCode).toBe(200);
    const parts = { embedder: { ok: true, id: "fake" }, profiles: { ok: true, version: "fake-1" } };
    expect(ready.json()).toEqual({ status: "ready", parts, ...ids(ready) });
  });

  it("answer 503 with the missing component while not ready", async () => {
    const parts = { embedder: { ok: true }, profiles: { ok: false } };
    const { app } = startTestServer({ readiness: () => parts });
    const ready = await app.inject({ url: "/readyz" });
    expect(ready.statusCode).toBe(503);
    expect(ready.json()).toMatchObject({ status: "not_ready", parts });
  });
});

it("Request ids are unique, sort by arrival, and ignore what the client sends", async () => {
  const { app } = startTestServer();
  const headers = { "x-request-id": "mine", "request-id": "mine" };
  const ids: string[] = [];
  while (ids.length < 20)
    ids.push(String((await app.inject({ url: "/healthz", headers })).headers["x-request-id"]));
  expect(new Set(ids).size).toBe(20);
  expect([...ids].sort()).toEqual(ids);
});

it("The log contains no prompt, no key and, at the default level, no line per request", async () => {
  const secret = { ...hello, messages: [{ role: "user", content: "secret prompt" }] };
  const quiet = startTestServer();
  await postRouter(quiet.app, secret);
  expect(quiet.logLines).toEqual([]);
  const verbose = startTestServer({}, "debug");
  const { headers } = await postRouter(verbose.app, secret);
  expect(verbose.logLines).toHaveLength(1);
  const line = verbose.logLines.join("");
  expect(line).not.toMatch(/secret|pk_live/);
  const shown = { request_id: headers["x-request-id"], route: "/v1/router", status: 200 };
  expect(JSON.parse(line)).toMatchObject(shown);
});
