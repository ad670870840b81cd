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
import { jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";
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
  it("default to key and address from the environment", () => {
    vi.stubEnv("SEXTANT_API_KEY", "pk_live_from_environment");
    vi.stubEnv("SEXTANT_BASE_URL", "http://gateway.example/v1");
    const client = new Sextant();
    expect([client.apiKey, client.baseURL]).toEqual([
      "pk_live_from_environment",
      "http://gateway.example/v1",
    ]);
  });

  it("override the environment", () => {
    vi.stubEnv("SEXTANT_API_KEY", "pk_live_from_environment");
    vi.stubEnv("SEXTANT_BASE_URL", "http://gateway.example/v1");
    const client = new Sextant({ apiKey: "pk_live_given", baseURL: "http://other.example/v1" });
    expect([client.apiKey, client.baseURL]).toEqual(["pk_live_given", "http://other.example/v1"]);
  });

  it("default to the address that `npm start` serves on", () => {
    vi.stubEnv("SEXTANT_BASE_URL", undefined);
    expect(new Sextant({ apiKey: "pk_live_given" }).baseURL).toBe("http://127.0.0.1:8080/v1");
  });

  it("report a missing key", () => {
    vi.stubEnv("SEXTANT_API_KEY", " ");
    expect(() => new Sextant()).toThrow("SEXTANT_API_KEY");
  });

  it("ignore the variables of OpenAI's SDK", async () => {
    vi.stubEnv("SEXTANT_API_KEY", undefined);
    vi.stubEnv("OPENAI_API_KEY", "sk-openai-secret");
    vi.stubEnv("OPENAI_ADMIN_KEY", "sk-openai-admin-secret");
    vi.stubEnv("OPENAI_ORG_ID", "org-secret");
    vi.stubEnv("OPENAI_PROJECT_ID", "proj-secret");
    vi.stubEnv("OPENAI_BASE_URL", "http://openai.example/v1");
    await connect().chat.completions.create(ask);
    expect(JSON.stringify(gateway.lastRequest)).not.toMatch(/secret/);
    expect(() => new Sextant()).toThrow("SEXTANT_API_KEY");
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

  it.each(["rate_limit_exceeded", "budget_exceeded"])("have the seconds to wait: %s", async (code) => {
    const error = await thrown(429, code, { retry_after: 1.25 });
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toBeInstanceOf(OpenAI.RateLimitError);
    expect(error).toMatchObject({
      status: 429,
      code,
      retry_after: 1.25,
      requestID: expect.stringMatching(/^req_/),
    });
  });

  it.each([
    ["7", 7],
    ["0.5", 0.5],
    ["-3", 0],
    ["soon", null],
    ["", null],
    [new Date(Date.now() - 1000).toUTCString(), 0],
  ])("read the header Retry-After %j when the body has no wait", async (header, seconds) => {
    const error = await thrown(429, "rate_limit_exceeded", {}, { headers: { "retry-after": header } });
    expect(error).toMatchObject({ retry_after: seconds });
  });

  it("include UnavailableError for 503", async () => {
    const error = await thrown(503, "no_provider_available", { retry_after: 2 });
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toBeInstanceOf(OpenAI.InternalServerError);
    expect(error).toMatchObject({ status: 503, code: "no_provider_available", retry_after: 2 });
  });

  it.each([502, 504])("include UpstreamError with the attempts for %i", async (status) => {
    const attempts = [
      { provider: "openai", model: "gpt-4o-mini", status: 500, code: "server_error", latency_ms: 3 },
    ];
    const error = await thrown(status, "upstream_error", { attempts });
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ status, attempts });
  });

  it("name missing profiles", async () => {
    const lists = { missing_profiles: ["x"], available_profiles: ["y", "z"] };
    const error = await thrown(400, "missing_profiles", lists);
    expect(error).toBeInstanceOf(MissingProfilesError);
    expect(error).toBeInstanceOf(OpenAI.BadRequestError);
    expect(error).toMatchObject(lists);
  });

  it("name excluded models", async () => {
    const excluded = [{ model: "x", reason: "context_window" }];
    const error = await thrown(400, "insufficient_models", { excluded });
    expect(error).toBeInstanceOf(InsufficientModelsError);
    expect(error).toMatchObject({ excluded });
  });

  it.each([
    [400, OpenAI.BadRequestError],
    [401, OpenAI.AuthenticationError],
    [403, OpenAI.PermissionDeniedError],
    [404, OpenAI.NotFoundError],
    [500, OpenAI.InternalServerError],
  ])("are OpenAI's own for %i", async (status, type) => {
    const error = await thrown(status, "some_code");
    expect(error).toBeInstanceOf(type);
    expect(error).toMatchObject({ status, code: "some_code", param: null });
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

  it("router.create requests the decision alone, or the answer too", async () => {
    const { router } = connect();
    await router.create({ messages: ask.messages, execute: false, cost_weight: 0.4, models: ["a", "b"] });
    expect(seen()).toBe("POST /v1/router");
    expect(JSON.parse(gateway.lastRequest.body)).toEqual({
      ...{ messages: ask.messages, execute: false, cost_weight: 0.4, models: ["a", "b"] },
    });
    expect((await router.create({ messages: ask.messages })).choices).toHaveLength(1);
  });

  it("router.batch gives each line as it comes, wherever the stream is cut", async () => {
    const lines = [
      { id: "a", routing: { selected_model: "é" }, request_id: "req_1" },
      { id: "b", error: { code: "insufficient_models" }, request_id: "req_2" },
    ];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const requests = [{ id: "a", messages: ask.messages }];
    for (const cut of [1, 37, 38, bytes.length - 1]) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)];
      gateway.answer(
        reply({ headers: { "content-type": "application/x-ndjson" }, body: pieces, framing: "chunked" }),
      );
      const seenLines = [];
      for await (const line of connect().router.batch({ requests, cost_weight: 0.4 })) seenLines.push(line);
      expect(seenLines).toEqual(lines);
      expect(seen()).toBe("POST /v1/router/batch");
    }
    gateway.answer(failure(429, "rate_limit_exceeded"));
    expect(await errorOf(connect().router.batch({ requests }).next())).toBeInstanceOf(RateLimitError);
  });

  it("router.profiles, router.costWeights, providers.list and traces.retrieve send their requests", async () => {
    const client = connect();
    await client.router.profiles();
    expect(seen()).toBe("GET /v1/router/profiles");
    await client.router.costWeights();
    expect(seen()).toBe("GET /v1/router/cost-weights");
    await client.providers.list({ model: "openai/gpt-4o" });
    expect(seen()).toBe("GET /v1/providers?model=openai%2Fgpt-4o");
    await client.providers.list();
    expect(seen()).toBe("GET /v1/providers");
    await client.traces.retrieve("req_1/../../admin");
    expect(seen()).toBe("GET /v1/traces/req_1%2F..%2F..%2Fadmin");
  });

  it("feedback.create sends score and comment for a request", async () => {
    const feedback = { request_id: "req_1", score: 0.5, comment: "so-so" };
    gateway.answer(jsonReply({ object: "feedback", ...feedback, created_at: "2026-01-01T00:00:00.000Z" }));
    expect(await connect().feedback.create(feedback)).toMatchObject({ object: "feedback", ...feedback });
    const { method, path, body } = gateway.lastRequest;
    expect([method, path, JSON.parse(body)]).toEqual(["POST", "/v1/feedback", feedback]);
  });

  it("traces.list sends every filter, with metadata by key", async () => {
    gateway.answer(jsonReply({ traces: [], total: 0, has_more: false }));
    const page = await connect().traces.list({
      status: "error",
      q: "a&b",
      metadata: { "team name": "x=y", n: 2 },
    });
    const query = new URL(gateway.lastRequest.path, gateway.origin).searchParams;
    expect(Object.fromEntries(query)).toEqual({
      ...{ status: "error", q: "a&b", "metadata.team name": "x=y", "metadata.n": "2" },
    });
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
});
