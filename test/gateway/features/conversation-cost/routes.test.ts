import { describe, expect, it } from "vitest";
import { conversationCostSchema } from "../../../../src/gateway/features/conversation-cost/schema.js";
import type { Trace } from "../../../../src/gateway/traces/trace.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { serverLimits } from "../../../support/server-limits.js";
import {
  ADMIN_KEY,
  BOUND_READER_KEY,
  get,
  KEY,
  READER_KEY,
  startTestServer,
  WEIGHTED_KEY,
} from "../../server.js";
import { failedTrace, NOON, routedTrace, traceWith, USAGE } from "../../traces/trace-for-test.js";

const ID = "7c1f/6c1e";
const metadata = { session: ID };
const answer = (parts: Partial<Trace>, cached = 0) =>
  routedTrace({
    kind: "messages",
    metadata,
    usage: { ...USAGE, prompt_tokens: 100, prompt_tokens_details: { cached_tokens: cached } },
    ...parts,
  });
const savings = (baseline_cost_usd: number, saved_usd: number) => ({
  savings: { baseline_model: "gpt-5.5", baseline_cost_usd, saved_usd, lost_cache_tokens: 0 },
});
const last = answer(
  { createdAtMs: NOON + 3, effort: "low", model: "gpt-6-luna", ...savings(0.003, 0.0026) },
  60,
);
const CONVERSATION = [
  answer({ createdAtMs: NOON, ...savings(0.0001, -0.0003) }),
  answer({ createdAtMs: NOON + 1, usage: null, attempts: [], routing: null }, 0),
  last,
  failedTrace({ createdAtMs: NOON + 4, metadata }),
  traceWith({ createdAtMs: NOON + 5, metadata: { session: "another" } }),
  traceWith({ createdAtMs: NOON - 1, metadata, principal: "key_weighted", source: "billing" }),
  traceWith({ createdAtMs: NOON - 2, metadata, principal: "key_reader", source: "named by the request" }),
];

const traces = new MemoryTraceStore(CONVERSATION.slice(1));
let waiting = CONVERSATION.slice(0, 1);
const { app } = startTestServer({
  traces,
  flushTraces: async () => {
    await traces.append(waiting);
    waiting = [];
  },
  limits: serverLimits({ stickyMetadataKey: "session" }),
});
const cost = async (key: string, id = ID) => {
  const { statusCode, body } = await get(app, `/v1/conversations/${encodeURIComponent(id)}/cost`, {
    "x-api-key": key,
  });
  return { statusCode, body: JSON.parse(body) };
};

describe("GET /v1/conversations/{id}/cost", () => {
  it("sums up the caller's own requests of the conversation, and says who answered last and why", async () => {
    const { statusCode, body } = await cost(KEY);
    expect(statusCode).toBe(200);
    expect(conversationCostSchema.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      object: "conversation.cost",
      ...{ id: ID, requests: 4, errors: 1, tokens_in: 200, tokens_cached: 60, cached_share: 0.3 },
      ...{ cost_usd: 0.0008, requests_without_cost: 1, baseline_model: "gpt-5.5" },
      ...{ requests_with_baseline: 2, baseline_cost_usd: 0.0031, saved_usd: 0.0023 },
      last: {
        request_id: last.requestId,
        model: "gpt-6-luna",
        effort: "low",
        reason: "cheapest within noise of the best",
      },
    });
    expect(
      body.models.map(({ model, requests }: { model: string; requests: number }) => [model, requests]),
    ).toEqual([
      ["gpt-4o-mini", 2],
      ["gpt-6-luna", 1],
      [null, 1],
    ]);
  });

  it("has all requests for those who may read all, and those of its source for a key that reads this alone", async () => {
    expect((await cost(ADMIN_KEY)).body).toMatchObject({ requests: 6 });
    const read = await cost(BOUND_READER_KEY);
    expect(read.body).toMatchObject({ requests: 1, baseline_model: null, cached_share: 0 });
    for (const key of [WEIGHTED_KEY, READER_KEY])
      expect((await cost(key)).body).toMatchObject({ requests: 1 });
  });

  it("knows no conversation of others", async () => {
    expect(await cost(KEY, "unknown")).toMatchObject({
      statusCode: 404,
      body: { error: { code: "trace_not_found", message: expect.stringContaining('"unknown"') } },
    });
  });
});
