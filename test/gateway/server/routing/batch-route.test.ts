import { beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { batchLineSchema } from "../../../../src/gateway/api/router-batch.js";
import { serverLimits } from "../../../support/server-limits.js";
import { post, startTestServer, type TestServer } from "../server.js";

const message = (content: string) => [{ role: "user", content }];
const asked = (id: string, more: object = {}) => ({ id, messages: message(`Question ${id}`), ...more });

let server: TestServer;
/** Hears of every decision that is asked for, and may refuse it. */
let deciding: (question: string) => void;
beforeEach(() => {
  deciding = () => {};
  server = startTestServer({
    limits: serverLimits({ maxBodyBytes: 1e6, maxBodyValues: 1e5 }),
  });
  const { inference } = server;
  const decide = inference.decide.bind(inference);
  inference.decide = async (request, context) => {
    deciding(JSON.stringify(request.body));
    return decide(request, context);
  };
});

const send = (payload: object) => post(server.app, "/v1/router/batch", { payload });

const linesOf = (body: string) =>
  body
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("POST /v1/router/batch", () => {
  it("answers with a line for each request, in order, each with a request id of its own", async () => {
    const response = await send({
      requests: [asked("b", { max_tokens: 50, metadata: { team: "a" } }), asked("a"), asked("b")],
      models: ["large", "small"],
      cost_weight: 0.5,
    });
    expect([response.statusCode, response.headers["content-type"]]).toEqual([200, "application/x-ndjson"]);
    expect(response.body.endsWith("\n")).toBe(true);
    const lines = linesOf(response.body);
    expect(lines.map(({ id }) => id)).toEqual(["b", "a", "b"]);
    for (const line of lines) expect(batchLineSchema.parse(line)).toEqual(line);
    const ids = lines.map(({ request_id }) => request_id);
    expect(new Set(ids).size).toBe(3);
    const { decisions } = server.inference;
    expect(ids).toEqual(decisions.map(({ context }) => context.requestId));
    expect(decisions[0]?.request).toMatchObject({
      kind: "router",
      choice: { type: "routed", models: ["large", "small"], costWeight: 0.5 },
      body: { messages: message("Question b"), max_tokens: 50 },
      metadata: { team: "a" },
    });
    expect(lines[0].routing).toMatchObject({ selected_model: "large", cost_weight: 0.5 });
  });

  it("goes on after a request that cannot be decided, or comes too soon after the others", async () => {
    const faults = {
      bad: new SextantError("insufficient_models", "Fewer than two.", { extra: { excluded: [] } }),
      soon: new SextantError("rate_limit_exceeded", "Too many requests.", { extra: { retry_after: 3 } }),
    };
    deciding = (question) => {
      for (const [name, fault] of Object.entries(faults)) if (question.includes(name)) throw fault;
    };
    const lines = linesOf((await send({ requests: [asked("bad"), asked("good"), asked("soon")] })).body);
    expect(lines.map(({ error }) => error?.code)).toEqual([
      "insufficient_models",
      undefined,
      "rate_limit_exceeded",
    ]);
    expect(lines[2].retry_after).toBe(3);
    for (const line of lines) expect(batchLineSchema.parse(line)).toEqual(line);
    const refused = await send({ requests: [asked("soon"), asked("good")] });
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([429, "3"]);
  });
});
