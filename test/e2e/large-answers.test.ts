/** Providers that send far more than anybody wants: what each answer may take is limited, and the limits are told. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CHAT_ONLY, eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { eventsOf } from "../gateway/server.js";
import { asOpenAi, chatChunk, chatReply } from "./replies.js";
import { startWholeGateway, traceOf, type WholeGateway } from "./whole-gateway.js";

const FAILED = { status: "error", error: { code: "upstream_error" } };
let upstream: UpstreamServer;
let gateway: WholeGateway;
beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
  gateway = await startWholeGateway({
    SEXTANT_UPSTREAM_MAX_REPLY_BYTES: "20000",
    SEXTANT_TRACE_MAX_TEXT_CHARACTERS: "1000",
    ...asOpenAi(upstream),
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const post = (path: string, body: object) => gateway.call(path, { body });
const messages = [{ role: "user", content: "hello" }];
const chat = (body: object = {}) => post("/v1/chat/completions", { model: "gpt-4o-mini", messages, ...body });

describe("An answer that exceeds the size limit of the settings", () => {
  it("is refused without another call to the same provider, with the limit and the remedy", async () => {
    upstream.answer(chatReply({ content: "x".repeat(30_000) }));
    const before = upstream.requests.length;
    const { status, json, requestId } = await chat();
    expect(status).toBe(502);
    expect(upstream.requests.length - before).toBe(1);
    const { error, attempts } = json();
    expect(error.message).toContain("reply_too_large");
    expect(error.message).toContain("raise SEXTANT_UPSTREAM_MAX_REPLY_BYTES");
    expect(attempts).toMatchObject([
      { code: "reply_too_large", message: "the provider's reply is larger than 20000 bytes" },
    ]);
    expect(await traceOf(gateway.call, requestId)).toMatchObject(FAILED);
  });

  it("as a stream ends with an error event and a trace of its beginning", async () => {
    const pieces = new Array(200).fill(chatChunk({ content: "one two three ".repeat(100) }));
    upstream.answer(eventReply([chatChunk({ role: "assistant" }), ...pieces], { ending: "stall" }));
    const { text, requestId } = await chat({ stream: true });
    const message = expect.stringContaining("SEXTANT_UPSTREAM_MAX_REPLY_BYTES");
    expect(eventsOf(text).at(-1)).toMatchObject({ error: { code: "upstream_error", message } });
    const trace = await traceOf(gateway.call, requestId);
    expect(trace).toMatchObject({ status: "error", attempts: [{ code: "reply_too_large" }] });
    expect(String(trace.output_text)).toMatch(
      /^(one two three )+o?n?e?.*\n\[cut: 1000 of \d{5,} characters are kept/s,
    );
  });

  it("has another limit for embeddings, whose replies are larger", async () => {
    const data = [{ object: "embedding", index: 0, embedding: Array(5000).fill(0.125) }];
    const usage = { prompt_tokens: 1, total_tokens: 1 };
    upstream.answer(jsonReply({ object: "list", data, model: "m", usage }));
    const { status } = await post("/v1/embeddings", { model: "text-embedding-3-small", input: "x" });
    expect(status).toBe(200);
  });
});

describe("An answer that is nested more deeply than can be sent on", () => {
  it("is sent on with the arguments of a call, which are text; Messages keep them as text, too", async () => {
    const deep = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const called = { id: "call_1", type: "function", function: { name: "f", arguments: deep } };
    upstream.answer(chatReply({ content: null, tool_calls: [called] }, "tool_calls"));
    const whole = await post("/v1/messages", { model: "gpt-4o-mini", messages, max_tokens: 20 });
    expect(whole.json().content).toEqual([
      { type: "tool_use", id: "call_1", name: "f", input: { INVALID_JSON: deep } },
    ]);
    expect((await chat()).json().choices[0].message.tool_calls[0].function.arguments).toBe(deep);
  });
});
