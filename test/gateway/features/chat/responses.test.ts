import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import type { ChatChunk } from "../../../../src/gateway/providers/chat.js";
import {
  chunk,
  type FakeInference,
  HELLO,
  streamedAnswer,
  USAGE,
  wholeAnswer,
} from "../../../fakes/inference.js";
import { serverLimits } from "../../../support/server-limits.js";
import { errorOf, post as postTo, startTestServer } from "../../server.js";

/** A chunk with an event of the provider's own. */
const own = (native: object, finish: string | null = null): ChatChunk => ({
  ...chunk({}, { finish_reason: finish }),
  native: { ...native },
});

let app: FastifyInstance;
let inference: FakeInference;
beforeEach(() => {
  ({ app, inference } = startTestServer());
});

const post = (payload: object, url = "/v1/responses") => postTo(app, url, { payload });

const hi = { model: "gpt-4o-mini", input: "Hi" };
const lastRun = () => inference.runs.at(-1)?.request;

describe("POST /v1/responses", () => {
  it("runs the translated request and answers with a `response`", async () => {
    const response = await post({ ...hi, max_output_tokens: 5, metadata: { team: "a" } });
    expect(response.statusCode).toBe(200);
    expect(lastRun()).toMatchObject({
      kind: "responses",
      choice: { type: "named", model: "gpt-4o-mini" },
      body: { messages: [{ role: "user", content: "Hi" }], max_tokens: 5 },
      metadata: { team: "a" },
    });
    expect(lastRun()?.native).toMatchObject({ use: "usual", request: { body: { input: "Hi" } } });
    expect(response.json()).toMatchObject({
      object: "response",
      status: "completed",
      model: "gpt-4o-mini",
      provider: "openai",
      output: [{ type: "message", content: [{ type: "output_text", text: "Hello!" }] }],
      usage: { input_tokens: USAGE.prompt_tokens, ...USAGE },
    });
  });

  it("passes features of the provider's own API on, without the gateway's fields", async () => {
    await post({ ...hi, store: true, metadata: { a: 1 }, provider: "openai" });
    const body = { input: "Hi", store: true, metadata: { a: "1" } };
    expect(lastRun()?.native).toEqual({
      request: { api: "responses", body, headers: {}, replaceable: false },
      use: "required",
      need: { param: "store", what: "a response kept by the provider" },
    });
  });

  it("refuses to continue from an earlier response, because none is stored", async () => {
    const id = `resp_${"0".repeat(26)}`;
    const error = await errorOf(post({ ...hi, previous_response_id: id }));
    expect(error).toMatchObject({ code: "invalid_request", param: "previous_response_id" });
  });

  it.each([
    ["temprature", "Did you mean `temperature`?"],
    ["messages", "Put the conversation into `input`."],
  ])("refuses the field %s, and says what is meant", async (param, message) => {
    const told = { param, message: expect.stringContaining(message) };
    expect(await errorOf(post({ ...hi, [param]: 1 }))).toMatchObject(told);
  });

  it("returns a provider's native response unchanged, with its cost", async () => {
    const output = [{ type: "web_search_call" }];
    const native = { id: "resp_theirs", object: "response", output, usage: { input_tokens: 9 } };
    inference.outcomes.push(wholeAnswer({ completion: { choices: [], native } }));
    const body = (await post({ ...hi, store: true })).json();
    const request_id = expect.stringMatching(/^req_/);
    expect(body).toMatchObject({ id: "resp_theirs", output, model: "gpt-4o-mini", request_id });
    expect(body.usage.total_cost_usd).toBe(USAGE.total_cost_usd);
  });

  it("shows no count of a provider's native response that is above what is billed, or negative", async () => {
    const usage = { input_tokens: -7, output_tokens: 1e9, input_tokens_details: { cached_tokens: 1e9 } };
    const native = { id: "resp_theirs", object: "response", output: [], usage };
    inference.outcomes.push(wholeAnswer({ completion: { choices: [], native } }));
    const { usage: shown } = (await post({ ...hi, store: true })).json();
    expect(shown).toMatchObject({
      input_tokens: USAGE.prompt_tokens,
      output_tokens: USAGE.total_tokens,
      input_tokens_details: { cached_tokens: USAGE.prompt_tokens },
    });
  });

  it.each([false, true])("sends what a provider compacted back to it alone (stream: %s)", async (stream) => {
    const sealed = { id: "cmp_1", type: "compaction", encrypted_content: `gAAA-${stream}` };
    const native = { id: "resp_theirs", object: "response", output: [sealed] };
    const ended = own({ type: "response.completed", response: native }, "stop");
    const hosts = () =>
      ["openai", "azure", "x-ai"].filter((one) => !lastRun()?.native?.need?.notBy?.has(one));
    const goesOn = { ...hi, input: [{ type: "compaction", encrypted_content: sealed.encrypted_content }] };
    await post(goesOn);
    expect(hosts()).toEqual(["openai", "azure"]);
    inference.outcomes.push(
      stream
        ? streamedAnswer([[ended]], { provider: "azure" })
        : wholeAnswer({ completion: { choices: [], native }, provider: "azure" }),
    );
    await post({ ...hi, stream, store: false, input: [{ type: "compaction_trigger" }] });
    await post(goesOn);
    expect([lastRun()?.native?.use, hosts()]).toEqual(["required", ["azure"]]);
  });

  it("streams typed events that end with the whole response", async () => {
    const { body } = await post({ ...hi, stream: true });
    const events = body.split("\n\n").filter((event) => event.startsWith("event: "));
    expect(events[0]).toMatch(/^event: response\.created\n/);
    const last = events.at(-1) ?? "";
    expect(last).toMatch(/^event: response\.completed\n/);
    const { response } = JSON.parse(last.slice(last.indexOf("data: ") + 6));
    expect(response.output[0].content[0].text).toBe("Hello!");
    expect(response.usage.total_cost_usd).toBe(USAGE.total_cost_usd);
    expect(body).not.toContain("[DONE]");
  });

  it("passes a provider's native events on, the last one with its cost", async () => {
    inference.outcomes.push(
      streamedAnswer([
        [
          own({ type: "response.created", response: { model: "theirs" } }),
          own({ type: "response.web_search_call.searching" }),
        ],
        [own({ type: "response.completed", response: { id: "resp_x", usage: { input_tokens: 1 } } }, "stop")],
      ]),
    );
    const { body } = await post({ ...hi, stream: true, store: true });
    expect(body).toContain(
      'event: response.created\ndata: {"type":"response.created","response":{"model":"gpt-4o-mini"',
    );
    expect(body).toContain("event: response.web_search_call.searching\n");
    expect(body).toMatch(/event: response\.completed\n.*"id":"resp_x".*"total_cost_usd"/);
  });

  it("reports a failure within a stream as an event that OpenAI's clients throw", async () => {
    async function* batches() {
      yield HELLO[0] ?? [];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const { body } = await post({ ...hi, stream: true });
    expect(body).toContain("event: response.failed\n");
    expect(body).toMatch(/event: error\ndata: \{.*"error":\{"code":"upstream_error"/);
  });

  it("ends a stream whose text has no room beside those of others, and gives the room back", async () => {
    const small = startTestServer({ limits: serverLimits({ traceBufferBytes: 1000 }) });
    const streamed = async (...texts: string[]) => {
      small.inference.outcomes.push(streamedAnswer(texts.map((content) => [chunk({ content })])));
      return (await postTo(small.app, "/v1/responses", { payload: { ...hi, stream: true } })).body;
    };
    const full = /event: error\n.*"code":"overloaded".*trace_buffer_bytes/;
    expect(await streamed("a".repeat(300), "b".repeat(300))).toMatch(full);
    expect(await streamed("a".repeat(300))).toContain("event: response.completed");
    expect(await streamed("a".repeat(300))).not.toMatch(full);
  });
});

describe("POST /v1/messages", () => {
  const ask = { model: "gpt-4o-mini", max_tokens: 5, messages: [{ role: "user", content: "Hi" }] };

  it("runs the translated request, keeps the original for Anthropic's own API, and answers with a `message`", async () => {
    const thought = { type: "thinking", thinking: "Hm", signature: "" };
    const messages = [
      ...ask.messages,
      { role: "assistant", content: [thought, { type: "text", text: "Yes?" }] },
    ];
    const response = await post({ ...ask, messages, metadata: { user_id: "u", team: "a" } }, "/v1/messages");
    expect(response.statusCode).toBe(200);
    expect(lastRun()).toMatchObject({ kind: "messages", metadata: { user_id: "u", team: "a" } });
    const answered = { role: "assistant", content: [{ type: "text", text: "Yes?" }] };
    const body = { max_tokens: 5, messages: [ask.messages[0], answered], metadata: { user_id: "u" } };
    expect(lastRun()?.native).toEqual({
      request: { api: "messages", body, headers: {}, replaceable: true },
      use: "preferred",
      need: null,
    });
    const version = { "anthropic-version": "2026-10-21" };
    const headers = { ...version, "anthropic-beta": "context-1m-2025-08-07, effort-2025-11-24" };
    await postTo(app, "/v1/messages", { payload: ask, headers });
    expect(lastRun()?.native?.request).toMatchObject({
      headers: version,
      body: { anthropic_beta: ["context-1m-2025-08-07", "effort-2025-11-24"] },
    });
    expect(response.json()).toMatchObject({
      type: "message",
      role: "assistant",
      model: "gpt-4o-mini",
      content: [{ type: "text", text: "Hello!" }],
      stop_reason: "end_turn",
      usage: { input_tokens: USAGE.prompt_tokens, total_cost_usd: USAGE.total_cost_usd },
    });
  });

  it("streams Anthropic's events", async () => {
    const { body } = await post({ ...ask, stream: true }, "/v1/messages");
    expect(body).toMatch(/^event: message_start\n/);
    // LangChain reads the prompt's tokens there alone, where nobody has counted them: an estimate, which the last event corrects.
    const [, begun = ""] = /data: (.*)/.exec(body) ?? [];
    expect(JSON.parse(begun).message.usage.input_tokens).toBeGreaterThan(0);
    expect(body).toContain(`"input_tokens":${USAGE.prompt_tokens}`);
    expect(body.trimEnd()).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}$/);
  });

  it("reports errors in Anthropic's format, before and within a stream", async () => {
    const refused = await post({ ...ask, max_tokens: "x" }, "/v1/messages");
    expect(refused.json()).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", code: "invalid_request", param: "max_tokens" },
    });
    const unauthorized = await app.inject({ method: "POST", url: "/v1/messages", payload: ask });
    expect(unauthorized.json().error.type).toBe("authentication_error");
    async function* batches() {
      yield HELLO[0] ?? [];
      throw new SextantError("upstream_error", "It broke off.");
    }
    inference.outcomes.push(streamedAnswer(batches()));
    const { body } = await post({ ...ask, stream: true }, "/v1/messages");
    expect(body).toMatch(/event: error\ndata: \{"type":"error","error":\{"type":"api_error"/);
  });

  it("counts tokens without running anything", async () => {
    const { max_tokens: _limit, ...prompt } = ask;
    const response = await post(prompt, "/v1/messages/count_tokens");
    expect(response.json()).toEqual({ input_tokens: 14, estimated: true });
    expect(inference.runs).toEqual([]);
  });
});
