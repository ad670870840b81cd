/** `GET /admin/traces`: each field. */
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { TRACE_COLUMNS } from "../../../../src/gateway/features/traces/export/trace-columns.js";
import {
  adminTraceListSchema,
  INPUT_CHARACTERS,
} from "../../../../src/gateway/features/traces/schema/trace.js";
import { traceValuesSchema } from "../../../../src/gateway/features/traces/schema/trace-values.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, startTestServer } from "../../server.js";
import { attemptOf, failedTrace, NOON, said, traceWith } from "../../traces/trace-for-test.js";

const refused = { provider: "openai", model: "gpt-4o" };
const attempts = [
  attemptOf({ ...refused, status: 429, code: "rate_limited", message: "Rate limit reached." }),
];
const long = traceWith({ principal: "key_named", content: { input: said("x".repeat(500)), output: "y" } });
const limited = [1, 2].map((hours) => {
  const createdAtMs = NOON - hours * 3_600_000;
  return failedTrace({ ...refused, createdAtMs, principal: "jwt:ada", source: "billing", attempts });
});
const { app } = startTestServer({ traces: new MemoryTraceStore([long, ...limited]) });

const read = (path: string) => get(app, path, { "x-api-key": ADMIN_KEY });

describe("GET /admin/traces", () => {
  it("adds source, key, error code and the beginning of the prompt to each summary", async () => {
    const { traces: summaries, ...rest } = (await read("/v1/traces")).json();
    const response = await read("/admin/traces");
    expect(adminTraceListSchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({ total: rest.total, has_more: rest.has_more });
    const [first, second] = response.json().traces;
    expect(first).toEqual({
      ...summaries[0],
      kind: "chat",
      requested_model: null,
      metadata: expect.any(Object),
      source: "default",
      api_key: { id: "key_named", name: "Ada's app" },
      error_code: null,
      input_start: "x".repeat(INPUT_CHARACTERS),
    });
    expect(second).toEqual({
      ...summaries[1],
      kind: "chat",
      requested_model: null,
      metadata: {},
      source: "billing",
      api_key: null,
      error_code: "upstream_error",
      input_start: null,
    });
  });

  it("orders by a figure, and refuses what it cannot order by", async () => {
    const ids = async (query: string) =>
      (await read(`/admin/traces?${query}`))
        .json()
        .traces.map(({ request_id: id }: { request_id: string }) => id);
    const newest = [long, ...limited].map(({ requestId }) => requestId);
    expect(await ids("sort=cost_usd")).toEqual(newest);
    expect(await ids("order=asc")).toEqual(newest.toReversed());
    expect(await ids("sort=latency_ms&order=asc&limit=1")).toEqual(newest.slice(0, 1));
    for (const [query, param, message] of [
      ["sort=cost_us", "sort", 'Did you mean "cost_usd"?'],
      ["order=down", "order", "It must be one of desc, asc."],
    ] as const) {
      const { error } = (await read(`/admin/traces?${query}`)).json();
      expect(error).toMatchObject({ code: "invalid_request", param });
      expect(error.message).toContain(message);
    }
    expect((await read("/v1/traces?sort=cost_usd")).json().error.param).toBe("sort");
  });

  it("takes the filters and pages of GET /v1/traces", async () => {
    const { traces, total } = (await read("/admin/traces?status=error&limit=1")).json();
    expect([traces.length, traces[0].request_id, total]).toEqual([1, limited[0]?.requestId, 2]);
    expect((await read("/admin/traces?statsu=error")).json().error.param).toBe("statsu");
  });
});

describe("GET /admin/traces/values", () => {
  it("lists what the newest traces have, with the names of keys", async () => {
    const response = await read("/admin/traces/values");
    expect(traceValuesSchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toMatchObject({
      models: ["gpt-4o", "gpt-4o-mini"],
      sources: ["billing", "default"],
      keys: [
        { id: "jwt:ada", name: null },
        { id: "key_named", name: "Ada's app" },
      ],
      error_codes: ["upstream_error"],
      metadata_keys: ["beta", "tenant", "tier"],
      request_ids: [],
    });
    const { metadata, models, request_ids } = (await read("/admin/traces/values?q=ACM")).json();
    expect({ metadata, models, request_ids }).toEqual({
      metadata: [{ key: "tenant", value: "acme" }],
      models: [],
      request_ids: [],
    });
    expect((await read("/admin/traces/values?q=")).json().error.param).toBe("q");
  });
});

describe("GET /admin/traces/export as CSV", () => {
  it("writes the columns of the table, quoted, and no formulas", async () => {
    const hostile = traceWith({
      metadata: { tenant: "a,b" },
      content: { input: said('=HYPERLINK("http://x")'), output: 'two\nlines, "quoted"', reasoning: "=1" },
    });
    const failed = failedTrace({ createdAtMs: NOON + 1 });
    const { app: server } = startTestServer({ traces: new MemoryTraceStore([hostile, failed]) });
    const response = await get(server, "/admin/traces/export?format=csv", { "x-api-key": ADMIN_KEY });
    expect(response.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(response.headers["content-disposition"]).toBe('attachment; filename="traces.csv"');
    const [first, second, ...more] = parse(response.body, { columns: true }) as Record<string, string>[];
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      request_id: hostile.requestId,
      created_at: "2026-01-15T12:00:00.000Z",
      model: "gpt-4o-mini",
      cost_usd: "0.0004",
      metadata: '{"tenant":"a,b"}',
      input_text: `'=HYPERLINK("http://x")`,
      output_text: 'two\nlines, "quoted"',
      reasoning_text: "'=1",
    });
    const nothing = { model: "", cost_usd: "0", input_text: "", reasoning_text: "" };
    expect(second).toMatchObject({ ...nothing, error_code: "upstream_error" });
    expect(Object.keys(first ?? {})).toEqual(TRACE_COLUMNS.map(({ name }) => name));
  });
});
