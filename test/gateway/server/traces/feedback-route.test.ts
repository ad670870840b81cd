/** `POST /v1/feedback`: over the real way from the route to a store in memory. */
import { beforeAll, describe, expect, it } from "vitest";
import { systemTimers } from "../../../../src/foundation/timers.js";
import { feedbackSchema } from "../../../../src/gateway/api/traces/feedback.js";
import { traceSchema } from "../../../../src/gateway/api/traces/trace.js";
import { feedbackGiver } from "../../../../src/gateway/traces/feedback.js";
import { MemoryTraceStore } from "../../../fakes/trace-store.js";
import { traceWith } from "../../traces/trace-for-test.js";
import {
  ADMIN_KEY,
  ALL_READER_KEY,
  BOUND_KEY,
  get,
  KEY,
  NOW_MS,
  post,
  READER_KEY,
  startTestServer,
} from "../server.js";

const store = new MemoryTraceStore();
const { app, inference } = startTestServer({
  traces: store,
  giveFeedback: feedbackGiver({
    store,
    recorder: { flush: async () => {}, isBehind: false, wantsContent: true },
    timers: systemTimers,
    now: () => NOW_MS,
  }),
});

const trace = traceWith();
const billed = traceWith({ source: "billing" });
beforeAll(() => store.append([trace, billed]));

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
  });

  it("replaces earlier feedback completely", async () => {
    await give(valid);
    expect((await give({ request_id: trace.requestId, score: 1 })).json()).toMatchObject({
      score: 1,
      comment: null,
    });
    const found = await store.ask("find", trace.requestId, { scope: "all" });
    expect(found?.feedback).toMatchObject({ score: 1, comment: null });
  });

  it.each([0, 1, 0.5])("accepts the score %d", async (score) => {
    expect((await give({ ...valid, score, comment: null })).json()).toMatchObject({ score, comment: null });
  });

  it.each([
    [{ ...valid, score: 1.01 }, "score", "`score` is 1.01: it must be a number from 0 to 1"],
    [{ ...valid, score: -1 }, "score", "`score` is -1: it must be a number from 0 to 1"],
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

  it("accepts a comment of 2,000 characters", async () => {
    expect((await give({ ...valid, comment: "x".repeat(2000) })).statusCode).toBe(200);
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

  it.each([READER_KEY, ALL_READER_KEY])("requires the scope `inference`", async (key) => {
    const response = await give(valid, key);
    expect([response.statusCode, response.json().error.code]).toEqual([403, "insufficient_scope"]);
  });

  it("answers 503 store_down when traces are switched off", async () => {
    const server = startTestServer();
    const response = await post(server.app, "/v1/feedback", { payload: valid });
    expect([response.statusCode, response.json().error.code]).toEqual([503, "store_down"]);
  });

  it("runs no inference and writes no trace", () => {
    expect([inference.runs, inference.decisions]).toEqual([[], []]);
  });
});
