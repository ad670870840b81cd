/**
 * Spans of the whole server, as a collector of OpenTelemetry gets them: every span of an upstream call is held against its conventions for generative AI.
 *
 * Names, types and requirement levels: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md
 * (commit 024a4f944a12) and gen-ai-spans.md (embeddings; commit 002c8a6ea1c8);
 * read on 2026-11-26. `Recommended` attributes that a gateway does not know are absent.
 */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { CHAT_ONLY, jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/features/chat/stream-client.js";
import { KEY } from "../gateway/server.js";
import { type CollectedSpan, type Collector, startCollector } from "../gateway/telemetry/collector.js";
import { asOpenAi, chatReply, chatStream, heldStream, stalledStream } from "./replies.js";
import { startWholeGateway, type WholeGateway } from "./whole-gateway.js";

const SERVER_SPAN = 2;
const CLIENT_SPAN = 3;
const count = z.int().min(0);

/** Attributes of the conventions that may be on a call, with their types. */
const KNOWN: Readonly<Record<string, z.ZodType>> = {
  "gen_ai.operation.name": z.enum(["chat", "text_completion", "embeddings", "generate_content"]),
  "gen_ai.provider.name": z.string().min(1),
  "gen_ai.request.model": z.string().min(1),
  "gen_ai.request.stream": z.boolean(),
  "gen_ai.request.reasoning.level": z.string(),
  "gen_ai.conversation.id": z.string(),
  "gen_ai.response.finish_reasons": z.object({
    values: z.array(z.object({ stringValue: z.string() })).min(1),
  }),
  "gen_ai.usage.input_tokens": count,
  "gen_ai.usage.output_tokens": count,
  "gen_ai.usage.cache_read.input_tokens": count,
  "gen_ai.usage.cache_write.input_tokens": count,
  // Its name until version 1.41.
  "gen_ai.usage.cache_creation.input_tokens": count,
  "gen_ai.usage.reasoning.output_tokens": count,
  "gen_ai.input.messages": z.string(),
  "gen_ai.output.messages": z.string(),
  "error.type": z.string().min(1),
  "http.response.status_code": z.int(),
};
/** No name of the conventions: Langfuse's. */
const OTHERS = ["gen_ai.usage.cost"];
/** `Required`, and `Conditionally Required` where the condition always holds here. */
const REQUIRED = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"];

/** What is wrong with the span of a call by the conventions; empty when nothing is. */
function faultsOf({ name, attributes, isError }: CollectedSpan): readonly string[] {
  const faults: string[] = [];
  for (const required of REQUIRED) if (!(required in attributes)) faults.push(`${required} is missing`);
  for (const [key, value] of Object.entries(attributes)) {
    const schema = KNOWN[key];
    if (schema !== undefined && !schema.safeParse(value).success)
      faults.push(`${key} is ${JSON.stringify(value)}`);
    else if (schema === undefined && !OTHERS.includes(key) && !key.startsWith("sextant."))
      faults.push(`${key} is no name of the conventions`);
  }
  const { "gen_ai.operation.name": operation, "gen_ai.request.model": model } = attributes;
  if (name !== `${operation} ${model}`) faults.push(`the span is named ${name}`);
  if (isError !== "error.type" in attributes) faults.push("error.type does not go with the status");
  return faults;
}

const MARKER = "MARKERwhichMustNotLeak";
const SECRET = "sk-of-this-test";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = `00-${TRACE_ID}-b7ad6b7169203331-01`;

let collector: Collector;
let openai: UpstreamServer;
let gateway: WholeGateway;
/** One that is told to export what is said. */
let telling: WholeGateway;
const logLines: string[] = [];

beforeAll(async () => {
  collector = await startCollector();
  openai = await UpstreamServer.start(CHAT_ONLY);
  const environment = {
    ...asOpenAi(openai),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "20",
  };
  const logger = pino({ level: "debug" }, { write: (line: string) => logLines.push(line) });
  gateway = await startWholeGateway(environment, { logger });
  const capture = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true" };
  telling = await startWholeGateway({ ...environment, ...capture });
});
afterAll(async () => {
  await Promise.all([gateway.stop(), telling.stop()]);
  await Promise.all([openai.close(), collector.close()]);
});
beforeEach(() => openai.answer(chatReply({ content: MARKER })));

/** @returns the id of the request */
async function chat(changes: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: MARKER }], ...changes };
  return (await gateway.call("/v1/chat/completions", { body, headers })).requestId;
}

/** A stream that has said "Hello". */
async function begunStream() {
  const body = { model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "hi" }] };
  const stream = openStream(Number(new URL(gateway.address).port), { body });
  const { headers } = await stream.head;
  await stream.received("Hello");
  return { stream, id: String(headers["x-request-id"]) };
}

/** All spans of a request, once the span of the request itself has arrived. */
async function spansOf(requestId: string): Promise<readonly CollectedSpan[]> {
  const isRoot = ({ kind, attributes }: CollectedSpan) =>
    kind === SERVER_SPAN && attributes["sextant.request_id"] === requestId;
  await expect.poll(() => collector.spans.some(isRoot)).toBe(true);
  const root = collector.spans.find(isRoot);
  return collector.spans.filter(({ traceId }) => traceId === root?.traceId);
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name);
const ROOT = "POST /v1/chat/completions";
const CALL = "chat gpt-4o-mini";

describe("The spans of a request", () => {
  it("are one for the request and one for each part, within it", async () => {
    const id = await chat();
    const spans = await spansOf(id);
    expect(spans.map(({ name }) => name).sort()).toEqual([ROOT, "authenticate", CALL, "reserve limits"]);
    const root = named(spans, ROOT);
    expect(root?.isError).toBe(false);
    expect(root?.attributes).toMatchObject({
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "sextant.kind": "chat",
      "sextant.status": "success",
      "sextant.model": "gpt-4o-mini",
      "sextant.provider": "openai",
      "sextant.attempts": 1,
    });
    const tokens = { "gen_ai.usage.input_tokens": 1000, "gen_ai.usage.output_tokens": 200 };
    expect(named(spans, CALL)).toMatchObject({ kind: CLIENT_SPAN, attributes: tokens });
    for (const span of spans.filter((span) => span !== root)) {
      expect(span.parentSpanId).toBe(root?.spanId);
      expect(span.startMs).toBeGreaterThanOrEqual((root?.startMs ?? 0) - 0.01);
      expect(span.endMs).toBeLessThanOrEqual((root?.endMs ?? 0) + 0.01);
    }
  });

  it("show a decision and its steps", async () => {
    const messages = [{ role: "user", content: MARKER }];
    const body = { messages, models: ["gpt-4o-mini", "gpt-4o"], execute: false };
    const decided = await gateway.call("/v1/router", { body });
    const spans = await spansOf(decided.requestId);
    const route = named(spans, "route");
    expect(route?.attributes).toMatchObject({
      "sextant.selected_model": decided.json().routing.selected_model,
      "sextant.candidates": 2,
    });
    for (const name of ["embed", "search", "score"])
      expect(named(spans, name)?.parentSpanId).toBe(route?.spanId);
  });

  it("have one for each upstream call, the failed ones included", async () => {
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 503 }));
    const spans = await spansOf(await chat());
    expect(named(spans, CALL)).toMatchObject({
      isError: true,
      attributes: { "error.type": "overloaded", "http.response.status_code": 503 },
    });
    expect(named(spans, ROOT)).toMatchObject({
      isError: true,
      attributes: { "error.type": "upstream_error", "http.response.status_code": 502 },
    });
  });

  it("end with the stream, not with its first content", async () => {
    const { script, finish } = heldStream();
    openai.answer(script);
    const { stream, id } = await begunStream();
    // The span has not ended: it would be exported before one that ends now.
    await spansOf(await chat({ model: "nothing" }));
    expect(collector.spans.filter(({ attributes }) => attributes["sextant.request_id"] === id)).toEqual([]);
    finish();
    expect((await stream.ended).whole).toBe(true);
    expect(named(await spansOf(id), CALL)).toBeDefined();
  });

  it("are complete when the client goes away before the answer", async () => {
    openai.answer(stalledStream());
    const { stream, id } = await begunStream();
    stream.request.destroy();
    const spans = await spansOf(id);
    expect(named(spans, CALL)?.attributes).toMatchObject({ "error.type": "client_disconnected" });
    expect(named(spans, ROOT)?.attributes).toMatchObject({
      "http.response.status_code": 499,
      "sextant.status": "error",
    });
  });

  it("show refused requests, without parts that they did not reach", async () => {
    const spans = await spansOf(await chat({}, { "x-api-key": "pk_live_wrong" }));
    const attributes = { "error.type": "invalid_api_key" };
    expect(spans).toMatchObject([{ name: ROOT, isError: false, attributes }]);
  });
});

describe("The trace of the caller", () => {
  it("is continued, passed on to the provider, and named in the log line of the request", async () => {
    const id = await chat({}, { traceparent: CALLER, tracestate: "vendor=1" });
    const spans = await spansOf(id);
    expect(spans[0]?.traceId).toBe(TRACE_ID);
    expect(named(spans, ROOT)?.parentSpanId).toBe("b7ad6b7169203331");
    const { headers } = openai.lastRequest;
    expect(headers.traceparent).toBe(`00-${TRACE_ID}-${named(spans, CALL)?.spanId}-01`);
    expect(headers.tracestate).toBe("vendor=1");
    const lines = () => logLines.map((line) => JSON.parse(line));
    await expect
      .poll(() => lines().find(({ request_id, msg }) => request_id === id && msg === "request"))
      .toMatchObject({ trace_id: TRACE_ID });
  });

  it("is not exported where the caller does not sample it, and passed on as such", async () => {
    await chat({}, { traceparent: "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00" });
    expect(openai.lastRequest.headers.traceparent).toMatch(
      /^00-1af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/,
    );
    await spansOf(await chat());
    expect(collector.spans.filter(({ traceId }) => traceId.startsWith("1af7"))).toEqual([]);
  });
});

describe("Exports", () => {
  it("go to the endpoint in OpenTelemetry's protocol, with the headers and the resource that OpenTelemetry's variables name", async () => {
    await spansOf(await chat());
    for (const { path, headers } of collector.exports) {
      expect([path, headers["content-type"], headers["x-tenant"]]).toEqual([
        "/v1/traces",
        "application/json",
        "acme",
      ]);
    }
    expect(collector.resource).toMatchObject({
      "service.name": "sextant",
      "deployment.environment.name": "test",
    });
  });

  it("hold no prompt, answer, key or provider's message, unless texts are asked for", async () => {
    await chat({ metadata: { tag: MARKER } });
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 400 }));
    await spansOf(await chat());
    for (const { body } of collector.exports)
      expect(body).not.toMatch(new RegExp(`${MARKER}|${SECRET}|${KEY}`));
  });
});

describe("By the conventions for generative AI, a collector", () => {
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "What is this?" },
  ];
  const ask = { model: "gpt-4o-mini", messages };
  const usage = {
    prompt_tokens: 3000,
    completion_tokens: 20,
    total_tokens: 3020,
    prompt_tokens_details: { cached_tokens: 2048 },
    completion_tokens_details: { reasoning_tokens: 7 },
  };
  const cat = chatReply({ content: "A cat." }, "stop", { usage });
  const embedding = {
    object: "list",
    model: "text-embedding-3-small",
    usage: { prompt_tokens: 3, total_tokens: 3 },
    data: [{ object: "embedding", index: 0, embedding: [0.5, 0.5] }],
  };

  /** The span of the request's upstream call, in which nothing is wrong. */
  async function callSpan(path: string, body: object, headers: Readonly<Record<string, string>> = {}) {
    const { requestId } = await telling.call(path, { body, headers });
    const found = () =>
      collector.spans.find(
        ({ kind, attributes }) => kind === CLIENT_SPAN && attributes["sextant.request_id"] === requestId,
      );
    await expect.poll(found).toBeDefined();
    const span = found() as CollectedSpan;
    expect(faultsOf(span)).toEqual([]);
    return span;
  }
  const chatSpan = (changes: object = {}, headers?: Readonly<Record<string, string>>) =>
    callSpan("/v1/chat/completions", { ...ask, ...changes }, headers);

  it("gets names, types and levels of whole answers, conversations and efforts", async () => {
    openai.answer(cat);
    const span = await chatSpan({ metadata: { conversation_id: "c-1" } });
    expect(span.attributes).toMatchObject({
      "gen_ai.conversation.id": "c-1",
      "gen_ai.usage.cache_read.input_tokens": 2048,
      "gen_ai.usage.reasoning.output_tokens": 7,
    });
    expect(span.attributes["gen_ai.output.messages"]).toContain("A cat.");
    const agents = { model: "gpt-5.4-mini", messages: messages.slice(0, 1), reasoning_effort: "low" };
    expect((await chatSpan(agents, { "x-session-id": "s-1" })).attributes).toMatchObject({
      "gen_ai.conversation.id": "s-1",
      "gen_ai.request.reasoning.level": "low",
    });
  });

  it("gets streams, failed calls and embeddings in the same form", async () => {
    openai.answer(chatStream([{ content: "Hi" }]));
    expect((await chatSpan({ stream: true })).attributes["gen_ai.request.stream"]).toBe(true);
    openai.answer(reply({ status: 503 }));
    expect((await chatSpan()).isError).toBe(true);
    openai.answer(jsonReply(embedding));
    const embedded = await callSpan("/v1/embeddings", { model: "text-embedding-3-small", input: "Hi there" });
    expect(embedded.name).toBe("embeddings text-embedding-3-small");
  });
});
