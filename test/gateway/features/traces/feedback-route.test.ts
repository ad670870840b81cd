/** `POST /v1/feedback`: over the real way from the route to a store in memory. */
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { feedbackSchema } from "../../../../src/gateway/features/traces/schema/feedback.js";
import { traceSchema } from "../../../../src/gateway/features/traces/schema/trace.js";
import { feedbackGiver } from "../../../../src/gateway/traces/feedback.js";
import type { FakeInference } from "../../../fakes/inference.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { ADMIN_KEY, BOUND_KEY, get, KEY, NOW_MS, post, READER_KEY, startTestServer } from "../../server.js";
import { traceWith } from "../../traces/trace-for-test.js";

const trace = traceWith();
const billed = traceWith({ source: "billing" });
let store: MemoryTraceStore;
let app: FastifyInstance;
let inference: FakeInference;
beforeEach(() => {
  store = new MemoryTraceStore([trace, billed]);
  const recorder = { flush: async () => {}, isBehind: false, wantsContent: true };
  const giveFeedback = feedbackGiver({ store, recorder, timers: systemTimers, now: () => NOW_MS });
  ({ app, inference } = startTestServer({ traces: store, giveFeedback }));
});

const give = (payload: unknown, key = KEY) =>
  post(app, "/v1/feedback", { payload, headers: { "x-api-key": key } });
const valid = { request_id: trace.requestId, score: 0.25, comment: "Answered another question." };

describe("POST /v1/feedback", () => {
  it("answers with the stored feedback, which the trace then shows", async () => {
    const response = await give(valid);
    expect(response.statusCode, response.body).toBe(200);
    const at = new Date(NOW_MS).toISOString();
    expect(response.json()).toEqual({ object: "feedback", ...valid, created_at: at });
    expect(feedbackSchema.parse(response.json())).toEqual(response.json());
    const detail = (await get(app, `/v1/traces/${trace.requestId}`, { "x-api-key": READER_KEY })).json();
    expect(detail.feedback).toEqual({ score: valid.score, comment: valid.comment, created_at: at });
    expect(traceSchema.parse(detail)).toEqual(detail);
    expect([inference.runs, inference.decisions]).toEqual([[], []]);
  });

  it.each([
    [{ ...valid, score: 1.01 }, "score", "`score` is 1.01: it must be a number from 0 to 1"],
    [{ ...valid, score: "1" }, "score", '`score` is "1": it must be a number from 0 to 1'],
    [{ request_id: trace.requestId }, "score", "`score`"],
    [{ score: 1 }, "request_id", "`request_id`"],
    [{ ...valid, comment: "x".repeat(2001) }, "comment", "at most 2000 characters"],
    [{ ...valid, coment: "x" }, "coment", "Did you mean `comment`?"],
  ])("refuses %j by field", async (payload, param, message) => {
    const response = await give(payload);
    expect([response.statusCode, response.json().error.param], response.body).toEqual([400, param]);
    expect(response.json().error.message).toContain(message);
  });

  it("applies to requests of the caller's own source; with `admin`, to every request", async () => {
    const theirs = { ...valid, request_id: billed.requestId };
    for (const refused of [
      await give({ ...valid, request_id: "req_nope" }),
      await give(theirs),
      await give(valid, BOUND_KEY),
    ]) {
      expect([refused.statusCode, refused.json().error.code]).toEqual([404, "trace_not_found"]);
    }
    expect((await give(theirs, BOUND_KEY)).statusCode).toBe(200);
    expect((await give(theirs, ADMIN_KEY)).statusCode).toBe(200);
  });

  it("answers 503 store_down when traces are switched off", async () => {
    const { app: off } = startTestServer();
    const response = await post(off, "/v1/feedback", { payload: valid });
    expect([response.statusCode, response.json().error.code]).toEqual([503, "store_down"]);
    expect(response.json().error.message).toContain("SEXTANT_CH_ENABLED=true");
  });
});
