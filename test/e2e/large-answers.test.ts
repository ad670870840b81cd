/** Providers that send far more than anybody wants: what each answer may take is limited, and the limits are told. */
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, eventReply, jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";
import { eventsOf, KEY } from "../gateway/server/server.js";
import { folderForTests } from "../support/folders.js";

const KEPT = 1000;
const folder = folderForTests();
let upstream: UpstreamServer;
let server: ComposedServer;
let address: string;

beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_UPSTREAM_MAX_REPLY_BYTES: "20000",
    SEXTANT_UPSTREAM_MAX_STREAM_BYTES: "200000",
    SEXTANT_UPSTREAM_MAX_EMBEDDINGS_BYTES: "40000",
    SEXTANT_TRACE_MAX_TEXT_CHARACTERS: String(KEPT),
    SEXTANT_TRACE_FLUSH_MS: "1",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
});

const completion = (content: string) => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
});

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

async function post(path: string, body: object) {
  const reply = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  return { status: reply.status, text, requestId: reply.headers.get("x-request-id") ?? "" };
}

const chat = (body: object = {}) =>
  post("/v1/chat/completions", {
    model: "gpt-4o-mini",
    messages: [{ role: "user", content: "hello" }],
    ...body,
  });

/** The trace of the request, once it is stored. */
async function traceOf(requestId: string): Promise<Record<string, unknown>> {
  let trace: Record<string, unknown> = {};
  await expect
    .poll(async () => {
      const reply = await fetch(`${address}/v1/traces/${requestId}`, { headers: { "x-api-key": KEY } });
      trace = (await reply.json()) as Record<string, unknown>;
      return reply.status;
    })
    .toBe(200);
  return trace;
}

describe("An answer that exceeds the size limit of the settings", () => {
  it("is refused without another call to the same provider, with the limit and the remedy", async () => {
    upstream.answer(jsonReply(completion("x".repeat(30_000))));
    const before = upstream.requests.length;
    const { status, text, requestId } = await chat();
    expect(status).toBe(502);
    expect(upstream.requests.length - before).toBe(1);
    const { error, attempts } = JSON.parse(text);
    expect(error.code).toBe("upstream_error");
    expect(error.message).toContain("reply_too_large");
    expect(error.message).toContain("raise SEXTANT_UPSTREAM_MAX_REPLY_BYTES");
    expect(attempts).toMatchObject([
      { code: "reply_too_large", message: "the provider's reply is larger than 20000 bytes" },
    ]);
    expect(await traceOf(requestId)).toMatchObject({ status: "error", error: { code: "upstream_error" } });
  });

  it("as a stream ends with an error event and a trace of its beginning", async () => {
    const pieces = new Array(200).fill(chunk({ content: "one two three ".repeat(100) }));
    upstream.answer(eventReply([chunk({ role: "assistant" }), ...pieces], { ending: "stall" }));
    const { text, requestId } = await chat({ stream: true });
    expect(eventsOf(text).at(-1)).toMatchObject({
      error: {
        code: "upstream_error",
        message: expect.stringContaining("SEXTANT_UPSTREAM_MAX_STREAM_BYTES"),
      },
    });
    const trace = await traceOf(requestId);
    expect(trace).toMatchObject({ status: "error", attempts: [{ code: "reply_too_large" }] });
    expect(String(trace.output_text)).toMatch(
      /^(one two three )+o?n?e?.*\n\[cut: 1000 of \d{5,} characters are kept/s,
    );
  });

  it("has another limit for embeddings, whose replies are larger", async () => {
    const vector = Array.from({ length: 3000 }, () => 0.125);
    upstream.answer(
      jsonReply({
        object: "list",
        data: [{ object: "embedding", index: 0, embedding: vector }],
        model: "m",
        usage: { prompt_tokens: 1, total_tokens: 1 },
      }),
    );
    const { status } = await post("/v1/embeddings", { model: "text-embedding-3-small", input: "x" });
    expect(status).toBe(200);
  });
});

/** A completion with a further member of its message, which clients get as it came. */
const nested = (levels: number, content = "4") =>
  JSON.stringify(completion(content)).replace(
    `"content":"${content}"`,
    `"content":"${content}","unknown":${"[".repeat(levels)}${"]".repeat(levels)}`,
  );

describe("An answer that is nested more deeply than can be sent on", () => {
  it.each([
    // Of several models, none of which is given up for its failures.
    ["/v1/chat/completions", { model: "gpt-4.1", messages: [{ role: "user", content: "hello" }] }],
    [
      "/v1/messages",
      { model: "gpt-4.1-mini", messages: [{ role: "user", content: "hello" }], max_tokens: 20 },
    ],
    ["/v1/responses", { model: "gpt-4.1-nano", input: "hello" }],
    ["/v1/completions", { model: "gpt-4o", prompt: "hello" }],
  ])("is an error of the provider for the client of %s and in the trace alike", async (path, body) => {
    upstream.answer(reply({ body: nested(5000), headers: { "content-type": "application/json" } }));
    const { status, text, requestId } = await post(path, body);
    expect(status).toBe(502);
    expect(text).toContain("invalid_reply");
    expect(await traceOf(requestId)).toMatchObject({ status: "error", error: { code: "upstream_error" } });
  });

  it("is sent on with the arguments of a call, which are text; Messages keep them as text, too", async () => {
    const deep = `{"a":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    const called = { id: "call_1", type: "function", function: { name: "f", arguments: deep } };
    const message = { role: "assistant", content: null, tool_calls: [called] };
    upstream.answer(
      jsonReply({ ...completion(""), choices: [{ index: 0, message, finish_reason: "tool_calls" }] }),
    );
    const messages = [{ role: "user", content: "hello" }];
    const whole = await post("/v1/messages", { model: "gpt-4o-mini", messages, max_tokens: 20 });
    expect(JSON.parse(whole.text).content).toEqual([
      { type: "tool_use", id: "call_1", name: "f", input: { INVALID_JSON: deep } },
    ]);
    expect(JSON.parse((await chat()).text).choices[0].message.tool_calls[0].function.arguments).toBe(deep);
  });
});

describe("An answer that exceeds the length limit of traces", () => {
  it("reaches its client whole; the trace has its beginning, and counted tokens for all of it", async () => {
    const words = "one two three ".repeat(1000);
    upstream.answer(jsonReply(completion(words)));
    const { status, text, requestId } = await chat();
    expect(status).toBe(200);
    const { choices, usage } = JSON.parse(text);
    expect(choices[0].message.content).toBe(words);
    expect(usage.estimated).toBe(true);
    expect(usage.completion_tokens).toBeGreaterThan(2700);
    expect(usage.completion_tokens).toBeLessThan(3300);
    const { output_text: output } = await traceOf(requestId);
    expect(output).toBe(
      `${words.slice(0, KEPT)}\n[cut: ${KEPT} of 14000 characters are kept (SEXTANT_TRACE_MAX_TEXT_CHARACTERS)]`,
    );
  });
});
