import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  InsufficientModelsError,
  MissingProfilesError,
  RateLimitError,
  Sextant,
  UnavailableError,
  UpstreamError,
} from "../../src/client/index.js";
import { jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { rejectionOf } from "../support/errors.js";
import { chatOf, errorBody, failure } from "./gateway-replies.js";

let gateway: UpstreamServer;
beforeAll(async () => {
  gateway = await UpstreamServer.start();
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.requests.length = 0;
  gateway.answer(jsonReply(chatOf("gpt-4o-mini")));
});
afterEach(() => vi.unstubAllEnvs());

const connect = () => new Sextant({ apiKey: "pk_live_test", baseURL: `${gateway.origin}/v1`, maxRetries: 0 });
const ask = { model: "gpt-4o-mini", messages: [{ role: "user" as const, content: "hi" }] };

const errorOf = (work: Promise<unknown>) => rejectionOf(work, Error);

describe("The client's settings", () => {
  it("are those given, else the key and the address of the environment", () => {
    vi.stubEnv("SEXTANT_API_KEY", "pk_live_from_environment");
    vi.stubEnv("SEXTANT_BASE_URL", "http://gateway.example/v1");
    expect(new Sextant()).toMatchObject({
      apiKey: "pk_live_from_environment",
      baseURL: "http://gateway.example/v1",
    });
    const given = { apiKey: "pk_live_given", baseURL: "http://other.example/v1" };
    expect(new Sextant(given)).toMatchObject(given);
  });

  it("default to the address that `npm start` serves on", () => {
    vi.stubEnv("SEXTANT_BASE_URL", undefined);
    expect(new Sextant({ apiKey: "pk_live_given" }).baseURL).toBe("http://127.0.0.1:8080/v1");
  });

  it("ignore the variables of OpenAI's SDK, and report a missing key", async () => {
    for (const name of ["API_KEY", "ADMIN_KEY", "ORG_ID", "PROJECT_ID"])
      vi.stubEnv(`OPENAI_${name}`, `${name}-secret`);
    vi.stubEnv("OPENAI_BASE_URL", "http://openai.example/v1");
    await connect().chat.completions.create(ask);
    expect(JSON.stringify(gateway.lastRequest)).not.toMatch(/secret/);
    for (const key of [undefined, " "]) {
      vi.stubEnv("SEXTANT_API_KEY", key);
      expect(() => new Sextant()).toThrow("SEXTANT_API_KEY");
    }
  });
});

describe("The client's answers", () => {
  it("have typed costs", async () => {
    const { usage, provider } = await connect().chat.completions.create(ask);
    expect([usage.total_cost_usd, usage.ttft_ms, provider]).toEqual([0.00000315, 40.25, "openai"]);
  });

  it("carry routing, provider and metadata in the body", async () => {
    const ours = { router: { cost_weight: 0.3 }, metadata: { team: "search", retries: 2, urgent: true } };
    await connect().chat.completions.create({ ...ask, model: "auto", ...ours });
    expect(JSON.parse(gateway.lastRequest.body)).toEqual({ ...ask, model: "auto", ...ours });
  });
});

describe("The client's errors", () => {
  const thrown = async (...reply: Parameters<typeof failure>) => {
    gateway.answer(failure(...reply));
    return await errorOf(connect().chat.completions.create(ask));
  };

  it.each([
    [429, "rate_limit_exceeded", RateLimitError, OpenAI.RateLimitError, { retry_after: 1.25 }],
    [429, "budget_exceeded", RateLimitError, OpenAI.RateLimitError, { retry_after: 1.25 }],
    [503, "no_provider_available", UnavailableError, OpenAI.InternalServerError, { retry_after: 2 }],
    [502, "upstream_error", UpstreamError, OpenAI.InternalServerError, { attempts: [{ status: 500 }] }],
    [504, "upstream_timeout", UpstreamError, OpenAI.InternalServerError, { attempts: [{ status: 500 }] }],
    [
      400,
      "missing_profiles",
      MissingProfilesError,
      OpenAI.BadRequestError,
      { missing_profiles: ["x"], available_profiles: ["y"] },
    ],
    [400, "insufficient_models", InsufficientModelsError, OpenAI.BadRequestError, { excluded: [{}] }],
    [400, "some_code", OpenAI.BadRequestError, OpenAI.APIError, { param: null }],
    [401, "some_code", OpenAI.AuthenticationError, OpenAI.APIError, { param: null }],
    [500, "some_code", OpenAI.InternalServerError, OpenAI.APIError, { param: null }],
  ])("have for %i %s a type, also as one of OpenAI's, and what the body says", async (...row) => {
    const [status, code, type, openAiType, more] = row;
    const error = await thrown(status, code, more);
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(openAiType);
    expect(error).toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/), ...more });
  });

  it.each([
    ["7", 7],
    ["-3", 0],
    ["soon", null],
    ["Thu, 01 Jan 2026 00:00:00 GMT", 0],
  ])("read the header Retry-After %j when the body has no wait", async (header, seconds) => {
    const error = await thrown(429, "rate_limit_exceeded", {}, { headers: { "retry-after": header } });
    expect(error).toMatchObject({ retry_after: seconds });
  });

  it("of a server that is not a gateway stay readable", async () => {
    gateway.answer(jsonReply(["no", "object"], { status: 429 }));
    expect(await errorOf(connect().chat.completions.create(ask))).toMatchObject({ status: 429 });
    gateway.answer(jsonReply({ ...errorBody("upstream_error"), attempts: "none" }, { status: 502 }));
    expect(await errorOf(connect().chat.completions.create(ask))).toMatchObject({ attempts: [] });
  });
});

describe("The client's resources", () => {
  const seen = () => `${gateway.lastRequest.method} ${gateway.lastRequest.path}`;

  const decision = { messages: ask.messages, execute: false as const, cost_weight: 0.4, models: ["a", "b"] };
  const feedback = { request_id: "req_1", score: 0.5, comment: "so-so" };
  it.each<[name: string, send: (client: Sextant) => Promise<unknown>, request: string, body?: object]>([
    ["router.create", ({ router }) => router.create(decision), "POST /v1/router", decision],
    ["router.profiles", ({ router }) => router.profiles(), "GET /v1/router/profiles"],
    ["router.costWeights", ({ router }) => router.costWeights(), "GET /v1/router/cost-weights"],
    [
      "providers.list",
      ({ providers }) => providers.list({ model: "openai/gpt-4o" }),
      "GET /v1/providers?model=openai%2Fgpt-4o",
    ],
    [
      "traces.retrieve",
      ({ traces }) => traces.retrieve("req_1/../../admin"),
      "GET /v1/traces/req_1%2F..%2F..%2Fadmin",
    ],
    ["feedback.create", (client) => client.feedback.create(feedback), "POST /v1/feedback", feedback],
  ])("%s sends its request, and returns the reply", async (_, send, request, body) => {
    const reply = { object: "what was asked for" };
    gateway.answer(jsonReply(reply));
    expect(await send(connect())).toMatchObject(reply);
    expect(seen()).toBe(request);
    if (body !== undefined) expect(JSON.parse(gateway.lastRequest.body)).toEqual(body);
  });

  it("traces.list sends every filter, with metadata by key", async () => {
    gateway.answer(jsonReply({ traces: [], total: 0, has_more: false }));
    const metadata = { "team name": "x=y", n: 2 };
    const page = await connect().traces.list({ status: "error", q: "a&b", metadata });
    const query = new URL(gateway.lastRequest.path, gateway.origin).searchParams;
    expect([...query.keys()].sort()).toEqual(["metadata.n", "metadata.team name", "q", "status"]);
    expect([query.get("q"), query.get("metadata.team name")]).toEqual(["a&b", "x=y"]);
    expect([page.total, page.has_more, page.hasNextPage()]).toEqual([0, false, false]);
  });

  it("traces.list iterates over the pages without traces that arrived in between", async () => {
    const all = ["5", "4", "3", "2", "1"].map((id) => ({
      request_id: `req_${id}`,
      created_at: `2026-01-01T00:00:00.00${id}Z`,
    }));
    gateway.answer((exchange) => {
      const query = new URL(exchange.request.path, gateway.origin).searchParams;
      const offset = Number(query.get("offset") ?? 0);
      const traces = all.slice(offset, offset + Number(query.get("limit")));
      return jsonReply({ traces, total: 5, has_more: offset + traces.length < 5 })(exchange);
    });
    const ids: string[] = [];
    for await (const { request_id } of connect().traces.list({ limit: 2 })) ids.push(request_id);
    expect(ids).toEqual(all.map(({ request_id }) => request_id));
    const queries = gateway.requests.map(({ path }) => path.split("?")[1]);
    const end = encodeURIComponent("2026-01-01T00:00:00.006Z");
    expect(queries).toEqual([
      "limit=2",
      `limit=2&offset=2&end_date=${end}`,
      `limit=2&offset=4&end_date=${end}`,
    ]);
  });

  it("pauses are asked for beside /v1, with the key of the client", async () => {
    gateway.answer(jsonReply({ id: "pause_1", kind: "model", target: "gpt-5.5" }));
    const client = new Sextant({ apiKey: "pk_live_test", baseURL: `${gateway.origin}/gateway/v1` });
    const created = await client.pauses.create({ kind: "model", target: "gpt-5.5", reason: "outage" });
    expect(created.id).toBe("pause_1");
    await client.pauses.list();
    await client.pauses.end("pause/1");
    expect(gateway.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "POST /gateway/admin/pauses",
      "GET /gateway/admin/pauses",
      "DELETE /gateway/admin/pauses/pause%2F1",
    ]);
    expect(gateway.requests[0]?.headers.authorization).toBe("Bearer pk_live_test");
  });
});
