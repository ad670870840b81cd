/** `/admin/traces/{request_id}`, `…/route` and `/admin/traces/conversation`. */
import { describe, expect, it } from "vitest";
import { conversationSchema } from "../../../../src/gateway/features/traces/schema/conversation.js";
import {
  operatorTraceSchema,
  routeAgainSchema,
} from "../../../../src/gateway/features/traces/schema/operator-trace.js";
import type { TracedMessage } from "../../../../src/gateway/traces/traced-message.js";
import { fakeRouting } from "../../../fakes/inference.js";
import { pausing } from "../../../fakes/pauses.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, get, post, startTestServer } from "../../server.js";
import { failedTrace, NOON, routedTrace, traceWith } from "../../traces/trace-for-test.js";

const decided = await fakeRouting();
const candidates = ["medium", "gone", "small"].flatMap((model) =>
  decided.candidates.slice(0, 1).map((candidate) => ({ ...candidate, model })),
);

const input: readonly TracedMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Why?" },
];
const first = routedTrace({
  routing: { ...decided, cost_weight: 0.4, candidates },
  content: { input, output: "<think>Hm.</think>Because." },
  metadata: { session: "s 1" },
});
const second = traceWith({
  createdAtMs: NOON + 60_000,
  content: {
    input: [
      ...input,
      { role: "assistant", content: "<think>Hm.</think>Because." },
      { role: "user", content: "And then?" },
    ],
    output: "Nothing.",
    reasoning: "Hm, then.",
  },
  metadata: { session: "s 1" },
});
const third = failedTrace({ createdAtMs: NOON + 90_000, metadata: { session: "s 1" } });
const other = traceWith({ createdAtMs: NOON + 120_000, metadata: { session: "s 2" } });

const traces = new MemoryTraceStore([first, second, third, other]);
const { app, inference } = startTestServer({ traces });

const headers = { "x-api-key": ADMIN_KEY };
const read = (path: string) => get(app, path, headers);

describe("GET /admin/traces/{request_id}", () => {
  it("adds the parts of the answer to the trace", async () => {
    const { request_id: _, ...trace } = (await read(`/v1/traces/${first.requestId}`)).json();
    const response = await read(`/admin/traces/${first.requestId}`);
    expect(operatorTraceSchema.parse(response.json())).toEqual(response.json());
    expect(response.json()).toEqual({
      ...trace,
      request_id: first.requestId,
      answer: { role: "assistant", text: "Because.", reasoning: "Hm.", tool_calls: [] },
    });
  });

  it("has no messages where the content was not stored, and 404 for an unknown id", async () => {
    const body = (await read(`/admin/traces/${third.requestId}`)).json();
    expect(body).not.toHaveProperty("messages");
    expect(body).not.toHaveProperty("answer");
    expect((await read("/admin/traces/req_none")).json().error.code).toBe("trace_not_found");
  });
});

describe("POST /admin/traces/{request_id}/route", () => {
  const again = async (id: string, payload: object) =>
    post(app, `/admin/traces/${id}/route`, { payload, headers });

  it("decides for the same messages and candidates, at the traced cost weight, without models that have no profile", async () => {
    const response = await again(first.requestId, {});
    expect(response.statusCode, response.body).toBe(200);
    const body = routeAgainSchema.parse(response.json());
    expect(body).toMatchObject({
      routing: { selected_model: "medium", cost_weight: 0.4 },
      left_out: ["gone"],
      same_candidates: true,
    });
    const asked = { messages: input, models: ["medium", "small"], costWeight: 0.4 };
    expect(inference.router.requests.at(-1)).toEqual(asked);
  });

  it("decides at another cost weight, without what is paused now", async () => {
    const never = () => Promise.reject(new Error("nothing is paused here"));
    const pauses = { ...pausing({ target: "gpt-4o-mini" }), list: () => [], add: never, end: never };
    const { app: server, inference: now } = startTestServer({ traces, pauses });
    const payload = { cost_weight: 0.1 };
    const response = await post(server, `/admin/traces/${first.requestId}/route`, { payload, headers });
    expect(response.json()).toMatchObject({ routing: { cost_weight: 0.1 } });
    const { isPaused } = now.router.requests.at(-1) ?? {};
    expect(["gpt-4o-mini", "medium"].map((model) => isPaused?.(model))).toEqual([true, false]);
  });

  it("refuses what it cannot decide, with the remedy", async () => {
    const empty = await again(third.requestId, {});
    expect(empty.json().error).toMatchObject({ code: "invalid_request", param: "request_id" });
    expect((await again("req_none", {})).json().error.code).toBe("trace_not_found");
    expect((await again(first.requestId, { profiles: "next" })).json().error.param).toBe("profiles");
    expect((await again(first.requestId, { cost_weight: -1 })).json().error.param).toBe("cost_weight");
  });
});

describe("GET /admin/traces/conversation", () => {
  it("shows what each request with the metadata value added, and sums them up", async () => {
    const response = await read("/admin/traces/conversation?metadata.session=s+1");
    expect(conversationSchema.parse(response.json())).toEqual(response.json());
    const { turns, models, ...sums } = response.json();
    expect(sums).toMatchObject({
      requests: 3,
      errors: 1,
      cost_usd: 0.0008,
      tokens_in: 24,
      has_more: false,
      first_seen: new Date(NOON).toISOString(),
      last_seen: new Date(NOON + 90_000).toISOString(),
    });
    expect(models).toMatchObject([
      { model: "gpt-4o-mini", requests: 2 },
      { model: null, requests: 1 },
    ]);
    expect(turns).toMatchObject([
      { request_id: first.requestId, repeated_messages: 0, messages: input },
      {
        request_id: second.requestId,
        repeated_messages: 3,
        messages: [{ role: "user", content: "And then?" }],
        answer: { text: "Nothing.", reasoning: "Hm, then." },
      },
      { request_id: third.requestId, error_code: "upstream_error" },
    ]);
    expect(turns[2]).not.toHaveProperty("messages");
  });

  it("shows the first 200 requests of a longer one", async () => {
    const run = Array.from({ length: 201 }, (_, at) =>
      traceWith({ createdAtMs: NOON + at, metadata: { run: 7 } }),
    );
    const { app: server } = startTestServer({ traces: new MemoryTraceStore(run) });
    const body = (await get(server, "/admin/traces/conversation?metadata.run=7", headers)).json();
    expect(body.turns).toHaveLength(200);
    expect(body).toMatchObject({ requests: 201, has_more: true, most_turns: 200 });
  });

  it("needs a metadata value, and answers with nothing for an unknown one", async () => {
    const refused = await read("/admin/traces/conversation?source=billing");
    expect(refused.json().error).toMatchObject({ code: "invalid_request", param: "metadata" });
    const none = (await read("/admin/traces/conversation?metadata.session=none")).json();
    expect(none).toMatchObject({ turns: [], requests: 0, first_seen: null });
  });
});
