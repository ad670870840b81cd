/** `GET /v1/traces`, `GET /v1/traces/{request_id}` and `GET /admin/traces/stats`: each parameter and each field. */
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { traceStatsSchema } from "../../../../src/gateway/features/traces/schema/stats.js";
import {
  type TraceBody,
  type TraceSummaryBody,
  traceListSchema,
  traceSchema,
} from "../../../../src/gateway/features/traces/schema/trace.js";
import { TRACE_PARAMETERS } from "../../../../src/gateway/features/traces/schema/trace-query.js";
import { noStore } from "../../../../src/gateway/traces/no-store.js";
import type { TraceQueries } from "../../../../src/gateway/traces/store.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { serverLimits } from "../../../support/server-limits.js";
import {
  ADMIN_KEY,
  ALL_READER_KEY,
  BOUND_READER_KEY,
  errorOf,
  get,
  listening,
  READER_KEY,
  startTestServer,
} from "../../server.js";
import { failedTrace, NOON, routedTrace, said, traceWith, USAGE } from "../../traces/trace-for-test.js";

const HOUR = 3_600_000;
const whole = traceWith();
const SUMMARY: TraceSummaryBody = {
  request_id: whole.requestId,
  model: "gpt-4o-mini",
  provider: "openai",
  tokens_in: 12,
  tokens_out: 7,
  cost_usd: 0.0004,
  latency_ms: 812.5,
  status: "success",
  created_at: "2026-01-15T12:00:00.000Z",
};
const routed = routedTrace({
  createdAtMs: NOON - HOUR,
  source: "billing",
  model: "claude-3-5-haiku",
  provider: "anthropic",
  metadata: { tenant: "other", tier: 3, "with space & =": "a&b=c" },
  content: { input: said("Où est 100% de l'été?"), output: "𝄞" },
});
const failed = failedTrace({ createdAtMs: NOON - 2 * HOUR });
const completion = traceWith({
  createdAtMs: NOON - 3 * HOUR,
  kind: "completion",
  status: "timeout",
  finishReason: null,
  ttftMs: null,
  usage: { ...USAGE, total_cost_usd: null },
  error: { code: "upstream_timeout", message: "No answer within 600 s." },
  content: null,
});
const ALL = [whole, routed, failed, completion];
const { app } = startTestServer({ traces: new MemoryTraceStore(ALL) });

type Parameters = Record<string, string> | [string, string][] | string;

/** What a server answers that has this trace alone. */
async function shown(trace: Trace) {
  const traces = new MemoryTraceStore([trace]);
  const path = `/v1/traces/${trace.requestId}`;
  const body = (await get(startTestServer({ traces }).app, path, { "x-api-key": ADMIN_KEY })).json();
  expect(traceSchema.parse(body)).toEqual(body);
  return body;
}

const read = (path: string, key = ALL_READER_KEY) => get(app, path, { "x-api-key": key });
const ids = (traces: readonly { readonly requestId: string }[]) => traces.map(({ requestId }) => requestId);
async function found(parameters: Parameters = {}, key = ALL_READER_KEY) {
  const response = await read(`/v1/traces?${new URLSearchParams(parameters)}`, key);
  expect(response.statusCode, response.body).toBe(200);
  const body = response.json();
  return { ...body, ids: body.traces.map(({ request_id }: TraceSummaryBody) => request_id) };
}

describe("GET /v1/traces", () => {
  it("lists summaries, newest first, with the total and whether more follow", async () => {
    const response = await read("/v1/traces");
    const { traces, ...rest } = response.json();
    expect(rest).toEqual({ total: 4, has_more: false, request_id: response.headers["x-request-id"] });
    expect(traces.map(({ request_id }: TraceSummaryBody) => request_id)).toEqual(ids(ALL));
    expect(traces[0]).toEqual(SUMMARY);
    expect(traceListSchema.parse(response.json())).toEqual(response.json());
  });

  it.each([
    ["limit=1", [whole], true],
    ["offset=3", [completion], false],
  ])("returns the page %s", async (parameters, page, has_more) => {
    expect(await found(parameters)).toMatchObject({ ids: ids(page), has_more, total: 4 });
  });

  it.each<[parameters: Parameters, expected: readonly Trace[]]>([
    [{ start_date: "2026-01-15T11:00:00Z", end_date: "2026-01-15T12:00:00Z" }, [routed]],
    // A plus that was not percent-encoded arrives as a space.
    ["start_date=2026-01-15T16:30:00+05:30&end_date=2026-01-15T04:00:00-08:00", [routed]],
    [{ key: "key_1", kind: "chat", status: "success" }, [whole]],
    [{ q: "100% de l'été" }, [routed]],
    [{ "metadata.with space & =": "a&b=c" }, [routed]],
    [{ "metadata.__proto__": "x" }, []],
  ])("filters by %j", async (parameters, expected) => {
    expect(await found(parameters)).toMatchObject({ ids: ids(expected), total: expected.length });
  });
});

describe("GET /v1/traces/{request_id}", () => {
  const show = async (requestId: string, key?: string) => read(`/v1/traces/${requestId}`, key);

  it("returns texts, tags, attempts, usage and other details beside the summary", async () => {
    const response = await show(whole.requestId);
    expect(response.json()).toEqual({
      ...SUMMARY,
      effort: null,
      requested_model: null,
      input_text: "What is 2 + 2?",
      messages: [{ role: "user", content: "What is 2 + 2?" }],
      output_text: "4",
      metadata: { tenant: "acme", tier: 3, beta: true },
      source: "default",
      api_key: { id: "key_1", name: null },
      kind: "chat",
      ttft_ms: 120.25,
      finish_reason: "stop",
      attempts: whole.attempts,
      routing: null,
      error: null,
      usage: USAGE,
      savings: null,
      tool_loop: null,
      feedback: null,
    });
    expect(traceSchema.parse(response.json())).toEqual(response.json());
    // The body's id is that of the trace; the header's that of the request that asked for it.
    expect(response.headers["x-request-id"]).not.toBe(whole.requestId);
  });

  it.each([
    ["a key with its present name", "key_named", { id: "key_named", name: "Ada's app" }],
    ["a key that is not known any more", "key_gone", { id: "key_gone", name: null }],
    ["a token", "jwt:ada", null],
    ["a server without authentication", "anonymous", null],
  ])("names the API key that asked, for %s as well", async (_, principal, key) => {
    expect((await shown(traceWith({ principal }))).api_key).toEqual(key);
  });

  it("returns the decision of a routed request and the error of a failed one", async () => {
    const detail = (await show(routed.requestId)).json();
    expect(detail.routing).toEqual(routed.routing);
    expect(traceSchema.parse(detail)).toEqual(detail);
    expect((await show(failed.requestId)).json()).toMatchObject({
      error: { code: "upstream_error", message: "every attempt failed" },
      attempts: [],
      usage: null,
      ttft_ms: null,
    });
  });

  it("has the texts that were stored, even empty ones, and no others", async () => {
    const without = Object.keys((await show(completion.requestId)).json());
    for (const name of ["input_text", "output_text", "reasoning_text"]) expect(without).not.toContain(name);
    expect(Object.keys((await show(whole.requestId)).json())).not.toContain("reasoning_text");
    const empty = traceWith({ content: { input: said(""), output: "" } });
    expect(await shown(empty)).toMatchObject({ input_text: "", output_text: "" });
    const content = { input: said("2 + 2?"), output: "4", reasoning: "Two and two." };
    expect(await shown(traceWith({ content }))).toMatchObject({
      output_text: "4",
      reasoning_text: "Two and two.",
    });
  });

  it.each(["req_nope", "%00", "..%2Fkeys"])("answers 404 trace_not_found: %s", async (id) => {
    const response = await show(id);
    expect([response.statusCode, response.json().error.code]).toEqual([404, "trace_not_found"]);
    expect(response.json().request_id).toBe(response.headers["x-request-id"]);
  });
});

describe("The visibility of traces", () => {
  it.each([
    ["traces:read:all", ALL_READER_KEY, ALL],
    ["admin", ADMIN_KEY, ALL],
    ["traces:read with the source billing", BOUND_READER_KEY, [routed]],
    ["traces:read without a source, which is `default`", READER_KEY, [whole, failed, completion]],
  ])("%s", async (_, key, seen) => {
    expect(await found({}, key)).toMatchObject({ ids: ids(seen), total: seen.length, has_more: false });
    for (const trace of ALL) {
      const response = await read(`/v1/traces/${trace.requestId}`, key);
      expect(response.statusCode).toBe(seen.includes(trace) ? 200 : 404);
    }
  });

  it("is the same for another caller's trace as for an unknown one", async () => {
    const answered = async (id: string) => {
      const { statusCode, json } = await read(`/v1/traces/${id}`, BOUND_READER_KEY);
      return [statusCode, JSON.stringify(json().error).replace(id, "…")];
    };
    const theirs = await answered(whole.requestId);
    const none = await answered("req_00000000000000000000000000");
    expect(theirs).toEqual(none);
  });

  it("cannot be widened by a filter or header", async () => {
    expect(await found({ source: "default" }, BOUND_READER_KEY)).toMatchObject({ ids: [], total: 0 });
    expect(await found({ source: "billing" }, READER_KEY)).toMatchObject({ ids: [], total: 0 });
    const headers = { "x-api-key": READER_KEY, "x-source": "billing" };
    expect((await get(app, "/v1/traces", headers)).json().total).toBe(3);
    expect((await get(app, `/v1/traces/${routed.requestId}`, headers)).statusCode).toBe(404);
  });
});

describe("GET /admin/traces/stats", () => {
  const stats = (query: string) => read(`/admin/traces/stats?${query}`, ADMIN_KEY);

  it("sums up all matching traces, in one group by default", async () => {
    const response = await stats("");
    expect(response.json().data).toHaveLength(1);
    expect(response.json().data[0]).toMatchObject({
      group: {},
      requests: 4,
      errors: 1,
      timeouts: 1,
      decisions: 0,
      tokens_in: 36,
      tokens_out: 21,
      cost_usd: 0.0008,
      requests_without_cost: 1,
      latency_ms: { p50: 812.5, p90: 812.5, p99: 812.5 },
      ttft_ms: null,
    });
    expect(traceStatsSchema.parse(response.json())).toEqual(response.json());
  });

  it("groups by `by`, in the order of its values, null last, and applies filters", async () => {
    const { data } = (await stats("by=provider,day&start_date=2026-01-15")).json();
    expect(data.map(({ group }: { group: object }) => group)).toEqual([
      { provider: "anthropic", day: "2026-01-15" },
      { provider: "openai", day: "2026-01-15" },
      { provider: null, day: "2026-01-15" },
    ]);
    expect(data[2].ttft_ms).toBeNull();
    const sources = (await stats("by=source&status=success&by=model")).json().data;
    expect(sources.map(({ group }: { group: object }) => group)).toEqual([
      { source: "billing", model: "claude-3-5-haiku" },
      { source: "default", model: "gpt-4o-mini" },
    ]);
    expect((await stats("q=no+such+text")).json().data).toEqual([]);
    const tenants = (await stats("by=metadata.userId,metadata.tenant")).json().data;
    expect(tenants.map(({ group }: { group: object }) => Object.keys(group))).toContainEqual([
      "metadata.userId",
      "metadata.tenant",
    ]);
  });

  const groups = "Known are model, provider, source, key, kind, effort, preset, day, metadata.<key>.";
  it.each([
    ["by=modle", '`by` has "modle", which traces are not grouped by. Did you mean "model"?', "by"],
    ["by=model,", `\`by\` has "", which traces are not grouped by. ${groups}`, "by"],
    ["by=metadata.", `\`by\` has "metadata.", which traces are not grouped by. ${groups}`, "by"],
    [
      "by=day&time_zone=Europe/Berln",
      '`time_zone` is "Europe/Berln", which is not known. Give a name such as Europe/Berlin, or leave it out.',
      "time_zone",
    ],
    ["limit=10", "`limit` does not go here: all that match are taken. Leave it out.", "limit"],
    ["statsu=error", "`statsu` is not a parameter. Did you mean `status`?", "statsu"],
  ])("refuses ?%s", async (query, message, param) => {
    expect(await errorOf(stats(query))).toMatchObject({ message, param, code: "invalid_request" });
  });
});

describe("GET /admin/traces/export", () => {
  const exported = (query: string) => read(`/admin/traces/export?${query}`, ADMIN_KEY);
  const linesOf = (body: string): TraceBody[] =>
    body
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));

  it("writes all matching traces, oldest first, each as its own route returns it", async () => {
    const response = await exported("");
    expect(response.headers["content-type"]).toBe("application/x-ndjson");
    const lines = linesOf(response.body);
    expect(lines.map(({ request_id }) => request_id)).toEqual(ids(ALL.toReversed()));
    for (const line of lines) expect(line).toEqual((await read(`/v1/traces/${line.request_id}`)).json());
    expect(linesOf((await exported("kind=router")).body).map(({ kind }) => kind)).toEqual(["router"]);
    expect((await exported("source=nobody")).body).toBe("");
    expect((await exported("format=jsonl")).body).toBe(response.body);
    expect(response.headers["content-disposition"]).toBe('attachment; filename="traces.jsonl"');
  });

  it("refuses pagination and unknown parameters", async () => {
    for (const query of ["limit=1", "stats=1", "format=xlsx", "format=", "format=jsonl&format=jsonl"]) {
      expect((await errorOf(exported(query))).param).toBe(query.split("=")[0]);
    }
    expect((await exported("format=cvs")).json().error.message).toBe(
      '`format` is "cvs", which is not a format. Did you mean "csv"?',
    );
  });

  it("closes the connection when the store fails in the middle, so that the file is recognisably incomplete", async () => {
    async function* failing() {
      yield [whole];
      throw new SextantError("store_down", "The disk is gone.");
    }
    const server = startTestServer({ traces: { ...noStore, export: failing } });
    const port = await listening(server.app);
    const url = `http://127.0.0.1:${port}/admin/traces/export`;
    const response = await fetch(url, { headers: { "x-api-key": ADMIN_KEY } });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await server.app.close();
    const counted = 'route="/admin/traces/export",status="499",code="store_down"';
    expect(await server.metrics.text()).toContain(counted);
  });

  it("aborts the store's query when its client disconnects in the middle", async () => {
    let letGo = () => {};
    const ended = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    async function* endless() {
      try {
        for (;;) yield Array.from({ length: 100 }, () => whole);
      } finally {
        letGo();
      }
    }
    const server = startTestServer({ traces: { ...noStore, export: endless } });
    const socket = search(await listening(server.app), "/admin/traces/export");
    await new Promise((resolve) => socket.once("data", resolve));
    socket.destroy();
    await ended;
    await server.app.close();
    expect(server.logLines).toEqual([]);
  });
});

describe("The trace routes, when the store fails,", () => {
  const paths = [
    "/v1/traces",
    "/v1/traces/req_x",
    "/admin/traces",
    "/admin/traces/stats",
    "/admin/traces/values",
    "/admin/traces/conversation?metadata.session=1",
    "/admin/traces/req_x",
    "/admin/traces/series?start_date=2026-01-01&end_date=2026-01-02&step=3600",
    "/admin/traces/export",
    "/admin/traces/replay",
    "/admin/traces/value",
  ];
  const failing = (error: Error): TraceQueries => {
    const fail = () => Promise.reject(error);
    return {
      ask: fail,
      export: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
    };
  };

  it.each([
    ["store_down", 503],
    ["query_timeout", 504],
  ] as const)("pass on the store's error: %s as %d", async (code, status) => {
    const { app: server } = startTestServer({ traces: failing(new SextantError(code, "The disk is full.")) });
    for (const path of paths) {
      const response = await get(server, path, { "x-api-key": ADMIN_KEY });
      expect(response.statusCode, path).toBe(status);
      expect(response.json().error).toMatchObject({ code, message: "The disk is full." });
    }
  });
});

/** A store whose lists end only with their signal. */
function endlessStore() {
  const started: AbortSignal[] = [];
  let tellStarted = () => {};
  const ask: TraceQueries["ask"] = (name, _argument, { signal }) => {
    if (name === "find") return Promise.resolve(undefined as never);
    if (signal === undefined) throw new Error("no signal was given");
    started.push(signal);
    tellStarted();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  };
  const runs = (count: number) =>
    new Promise<void>((resolve) => {
      tellStarted = () => {
        if (started.length >= count) resolve();
      };
      tellStarted();
    });
  const traces: TraceQueries = { ...noStore, ask };
  return { traces, started, runs };
}

/** Asks over a connection of its own. */
function search(port: number, path = "/v1/traces"): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${ADMIN_KEY}\r\n\r\n`);
  return socket;
}

describe("Slow trace searches", () => {
  it("end without an error when their client disconnects", async () => {
    const { traces, started, runs } = endlessStore();
    const server = startTestServer({ traces });
    const socket = search(await listening(server.app));
    await runs(1);
    const aborted = new Promise((resolve) => started[0]?.addEventListener("abort", resolve));
    socket.destroy();
    await aborted;
    await server.app.close();
    expect(server.logLines).toEqual([]);
    expect(await server.metrics.text()).toMatch(
      /sextant_http_requests_total\{method="GET",route="\/v1\/traces",status="499",code=""\} 1/,
    );
  });

  it("are refused beyond 32 at a time, while inference continues, and accepted again afterwards", async () => {
    const { traces, runs } = endlessStore();
    const server = startTestServer({ traces, limits: serverLimits({ maxRequestsInFlight: 1 }) });
    const port = await listening(server.app);
    const sockets = Array.from({ length: 32 }, () => search(port));
    await runs(32);
    const refused = await get(server.app, "/v1/traces/req_x", { "x-api-key": ADMIN_KEY });
    expect([refused.statusCode, refused.json()]).toMatchObject([
      503,
      { error: { code: "overloaded" }, retry_after: 1 },
    ]);
    expect((await get(server.app, "/v1/models")).statusCode).toBe(200);
    for (const socket of sockets) socket.destroy();
    await expect
      .poll(async () => (await get(server.app, "/v1/traces/req_x", { "x-api-key": ADMIN_KEY })).statusCode)
      .toBe(404);
    await server.app.close();
  });
});

it("docs/api.md and the OpenAPI document name every parameter of the trace routes", async () => {
  const page = readFileSync(new URL("../../../../docs/api.md", import.meta.url), "utf8");
  const { paths } = (await app.inject({ url: "/openapi.json" })).json();
  const named = (path: string) => paths[path].get.parameters.map(({ name }: { name: string }) => name);
  const all = Object.keys(TRACE_PARAMETERS);
  const filters = all.filter((name) => name !== "limit" && name !== "offset");
  expect(named("/v1/traces")).toEqual(all);
  expect(named("/admin/traces")).toEqual([...all, "sort", "order"]);
  expect(named("/admin/traces/stats")).toEqual(["by", "time_zone", ...filters]);
  expect(named("/admin/traces/export")).toEqual(["format", ...filters]);
  const [, section] = page.split(/^## GET \/v1\/traces(?:\/\{request_id\})?$/m);
  for (const name of [...all, "metadata.<key>"]) expect(section).toContain(`\`${name}\``);
});
