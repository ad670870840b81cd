import { monitorEventLoopDelay } from "node:perf_hooks";
import { afterAll, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { batchLineSchema } from "../../../../src/gateway/api/router-batch.js";
import { fakeRouting } from "../../../fakes/inference.js";
import { serverLimits } from "../../../support/server-limits.js";
import { KEY, READER_KEY, startTestServer } from "../server.js";

const message = (content: string) => [{ role: "user", content }];
const asked = (id: string, more: object = {}) => ({ id, messages: message(`Question ${id}`), ...more });

const { app, inference } = startTestServer({
  limits: serverLimits({ maxBodyBytes: 1e6, maxBodyValues: 1e5 }),
});
afterAll(() => app.close());

const post = (payload: object, key = KEY) =>
  app.inject({ method: "POST", url: "/v1/router/batch", headers: { "x-api-key": key }, payload });

const linesOf = (body: string) =>
  body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("POST /v1/router/batch", () => {
  it("answers with a line for each request, in order, each with a request id of its own", async () => {
    inference.decisions.length = 0;
    const response = await post({
      requests: [asked("b", { max_tokens: 50, metadata: { team: "a" } }), asked("a"), asked("b")],
      models: ["large", "small"],
      cost_weight: 0.5,
    });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
    expect(response.body.endsWith("\n")).toBe(true);
    const lines = linesOf(response.body);
    expect(lines.map(({ id }) => id)).toEqual(["b", "a", "b"]);
    for (const line of lines) expect(batchLineSchema.parse(line)).toEqual(line);
    expect(new Set(lines.map(({ request_id }) => request_id)).size).toBe(3);
    const [first, second] = inference.decisions;
    expect(first?.request).toMatchObject({
      kind: "router",
      choice: { type: "routed", models: ["large", "small"], costWeight: 0.5 },
      body: { messages: message("Question b"), max_tokens: 50 },
      metadata: { team: "a" },
    });
    expect(lines.map(({ request_id }) => request_id)).toEqual(
      inference.decisions.map(({ context }) => context.requestId),
    );
    expect(second?.context.principal.id).toBe("key_1");
    expect(lines[0].routing).toMatchObject({ selected_model: "large", cost_weight: 0.5 });
  });

  it("goes on after a request that cannot be decided", async () => {
    const { decide } = inference;
    inference.decide = async (request, context) => {
      if (JSON.stringify(request.body).includes("Question bad"))
        throw new SextantError("insufficient_models", "Fewer than two candidates are left.", {
          param: "messages",
          extra: { excluded: [] },
        });
      return decide.call(inference, request, context);
    };
    const response = await post({ requests: [asked("bad"), asked("good"), asked("bad")] });
    inference.decide = decide;
    const lines = linesOf(response.body);
    expect(lines.map((line) => ("routing" in line ? "routing" : line.error.code))).toEqual([
      "insufficient_models",
      "routing",
      "insufficient_models",
    ]);
    expect(batchLineSchema.parse(lines[0])).toEqual(lines[0]);
  });

  it("fails as a whole where the first request shows what is wrong with all, and later limits are lines", async () => {
    const { decide } = inference;
    const limited = new SextantError("rate_limit_exceeded", "Too many requests.", {
      extra: { retry_after: 3 },
    });
    let allowed = 0;
    inference.decide = async (request, context) => {
      if (allowed-- <= 0) throw limited;
      return decide.call(inference, request, context);
    };
    const refused = await post({ requests: [asked("a")] });
    allowed = 1;
    const later = await post({ requests: [asked("a"), asked("b")] });
    inference.decide = decide;
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "3"]);
    expect(linesOf(later.body)[1]).toMatchObject({
      id: "b",
      error: { code: "rate_limit_exceeded" },
      retry_after: 3,
    });
  });

  it.each<[string, object, string]>([
    ["no requests", {}, "requests"],
    ["an empty list", { requests: [] }, "requests"],
    ["too many", { requests: Array.from({ length: 1001 }, (_, id) => asked(String(id))) }, "requests"],
    ["a request without id", { requests: [{ messages: message("Hi") }] }, "requests[0].id"],
    ["a request without messages", { requests: [asked("a"), { id: "b" }] }, "requests[1].messages"],
    ["an unknown field of a request", { requests: [asked("a", { model: "x" })] }, "requests[0].model"],
    ["an unknown field", { requests: [asked("a")], execute: true }, "execute"],
    [
      "a weight and a limit",
      { requests: [asked("a")], cost_weight: 0.1, max_mean_cost_usd: 1 },
      "max_mean_cost_usd",
    ],
  ])("refuses %s with the path of the field", async (_, body, param) => {
    const response = await post(body);
    expect([response.statusCode, response.json().error.param]).toEqual([400, param]);
  });

  it("needs the scope `inference`", async () => {
    expect((await post({ requests: [asked("a")] }, READER_KEY)).statusCode).toBe(403);
  });

  it("does not hold up other requests for more than 20 ms", async () => {
    const { decide } = inference;
    const limitHeaders = {};
    const routing = await fakeRouting();
    // As long as a decision among all shipped models takes.
    inference.decide = async () => {
      for (const end = performance.now() + 1; performance.now() < end; );
      return { routing, limitHeaders };
    };
    const requests = Array.from({ length: 1000 }, (_, id) => asked(String(id)));
    await post({ requests: requests.slice(0, 50) });
    const held = monitorEventLoopDelay({ resolution: 1 });
    held.enable();
    const { body } = await post({ requests });
    held.disable();
    inference.decide = decide;
    expect(linesOf(body)).toHaveLength(1000);
    // Of the machine's other work, too: the 99th percentile, and the resolution on top.
    expect(held.percentile(99) / 1e6).toBeLessThan(20);
  });
});
