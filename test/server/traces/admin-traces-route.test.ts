/** `GET /admin/traces` and `GET /admin/traces/failures`: each field. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failureListSchema } from "../../../src/api/traces/failures.js";
import { adminTraceListSchema, INPUT_CHARACTERS } from "../../../src/api/traces/trace.js";
import { MemoryTraceStore } from "../../fakes/trace-store.js";
import { failedTrace, NOON, traceWith } from "../../traces/trace-for-test.js";
import { ADMIN_KEY, ALL_READER_KEY, get, startTestServer } from "../server.js";

const store = new MemoryTraceStore();
const { app } = startTestServer({ traces: store });
afterAll(() => app.close());

const attempt = {
  provider: "openai",
  model: "gpt-4o",
  status: 429,
  code: "rate_limited",
  message: "Rate limit reached.",
  latency_ms: 12,
};
const long = traceWith({ principal: "key_named", content: { input: "x".repeat(500), output: "y" } });
const limited = [1, 2].map((hours) =>
  failedTrace({
    createdAtMs: NOON - hours * 3_600_000,
    principal: "jwt:ada",
    source: "billing",
    provider: "openai",
    model: "gpt-4o",
    attempts: [attempt],
  }),
);
beforeAll(() => store.append([long, ...limited]));

const read = (path: string, key = ADMIN_KEY) => get(app, path, { "x-api-key": key });

describe("GET /admin/traces", () => {
  it("adds source, key, error code and the beginning of the prompt to each summary", async () => {
    const { traces: summaries, ...rest } = (await read("/v1/traces")).json();
    const response = await read("/admin/traces");
    expect(adminTraceListSchema.parse(response.json())).toEqual(response.json());
    expect(response.headers["cache-control"]).toBe("no-store");
    expect(response.json()).toMatchObject({ total: rest.total, has_more: rest.has_more });
    const [first, second] = response.json().traces;
    expect(first).toEqual({
      ...summaries[0],
      source: "default",
      api_key: { id: "key_named", name: "Ada's app" },
      error_code: null,
      input_start: "x".repeat(INPUT_CHARACTERS),
    });
    expect(second).toEqual({
      ...summaries[1],
      source: "billing",
      api_key: null,
      error_code: "upstream_error",
      input_start: null,
    });
  });

  it("takes the filters and pages of GET /v1/traces", async () => {
    const { traces, total } = (await read("/admin/traces?status=error&limit=1")).json();
    expect([traces.length, traces[0].request_id, total]).toEqual([1, limited[0]?.requestId, 2]);
    expect((await read("/admin/traces?statsu=error")).json().error.param).toBe("statsu");
  });
});

describe("GET /admin/traces/failures", () => {
  it("groups failed requests, with what the provider said in the last of them", async () => {
    const response = await read("/admin/traces/failures");
    expect(failureListSchema.parse(response.json())).toEqual(response.json());
    expect(response.json().data).toEqual([
      {
        error_code: "upstream_error",
        provider: "openai",
        model: "gpt-4o",
        requests: 2,
        first_seen: new Date(NOON - 2 * 3_600_000).toISOString(),
        last_seen: new Date(NOON - 3_600_000).toISOString(),
        last_request_id: limited[0]?.requestId,
        message: "every attempt failed",
        provider_status: 429,
        provider_message: "Rate limit reached.",
      },
    ]);
  });

  it("takes the filters of GET /v1/traces, and no page", async () => {
    expect((await read("/admin/traces/failures?source=default")).json().data).toEqual([]);
    expect((await read("/admin/traces/failures?key=jwt:ada")).json().data).toHaveLength(1);
    expect((await read("/admin/traces/failures?limit=5")).json().error.param).toBe("limit");
  });
});

describe("The lists for operators", () => {
  it.each(["/admin/traces", "/admin/traces/failures"])("%s needs the scope `admin`", async (path) => {
    const response = await read(path, ALL_READER_KEY);
    expect([response.statusCode, response.json().error.code]).toEqual([403, "insufficient_scope"]);
  });
});
