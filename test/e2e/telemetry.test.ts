/** Spans of the whole server, as a collector of OpenTelemetry gets them. */
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/server/chat/stream-client.js";
import { KEY } from "../gateway/server/server.js";
import { type CollectedSpan, type Collector, startCollector } from "../gateway/telemetry/collector.js";
import { newFolder, removeFolder } from "./server-process.js";

const MARKER = "MARKERwhichMustNotLeak";
const SECRET = "sk-secret-of-this-test";
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const CALLER = `00-${TRACE_ID}-b7ad6b7169203331-01`;
const SERVER_SPAN = 2;
const CLIENT_SPAN = 3;

let collector: Collector;
let openai: UpstreamServer;
let server: ComposedServer;
let address: string;
let folder: string;
const logLines: string[] = [];

beforeAll(async () => {
  collector = await startCollector();
  openai = await UpstreamServer.start(CHAT_ONLY);
  folder = newFolder();
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    SEXTANT_REQUESTS_PER_MINUTE: "1000000",
    OPENAI_API_KEY: SECRET,
    OPENAI_BASE_URL: `${openai.origin}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=acme",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
    OTEL_BSP_SCHEDULE_DELAY: "20",
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "debug" }, { write: (line: string) => logLines.push(line) });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
});

afterAll(async () => {
  await server.stop();
  await Promise.all([openai.close(), collector.close()]);
  removeFolder(folder);
});

const completion = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini",
  choices: [{ index: 0, message: { role: "assistant", content: MARKER }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
};
const chunk = (delta: object) =>
  `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

beforeEach(() => {
  openai.answer(jsonReply(completion));
});

async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    id: response.headers.get("x-request-id") ?? "",
    json: JSON.parse(await response.text()),
  };
}

const chat = (changes: object = {}, headers?: Record<string, string>) =>
  post(
    "/v1/chat/completions",
    { model: "gpt-4o-mini", messages: [{ role: "user", content: MARKER }], ...changes },
    headers,
  );

/** All spans of a request, once the span of the request itself has arrived. */
async function spansOf(requestId: string): Promise<readonly CollectedSpan[]> {
  const isRoot = ({ kind, attributes }: CollectedSpan) =>
    kind === SERVER_SPAN && attributes["sextant.request_id"] === requestId;
  await expect.poll(() => collector.spans.some(isRoot)).toBe(true);
  const root = collector.spans.find(isRoot);
  return collector.spans.filter(({ traceId }) => traceId === root?.traceId);
}

const named = (spans: readonly CollectedSpan[], name: string) => spans.find((span) => span.name === name);

/** How long the upstream holds the end of a stream back. */
const HELD_MS = 200;

describe("The spans of a request", () => {
  it("are one for the request and one for each part, within it, by the conventions for generative AI", async () => {
    const { id } = await chat();
    const spans = await spansOf(id);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      "POST /v1/chat/completions",
      "authenticate",
      "chat gpt-4o-mini",
      "reserve limits",
    ]);
    const root = named(spans, "POST /v1/chat/completions");
    expect(root).toMatchObject({
      kind: SERVER_SPAN,
      isError: false,
      attributes: {
        "http.request.method": "POST",
        "http.route": "/v1/chat/completions",
        "http.response.status_code": 200,
        "sextant.request_id": id,
        "sextant.kind": "chat",
        "sextant.status": "success",
        "sextant.model": "gpt-4o-mini",
        "sextant.provider": "openai",
        "sextant.attempts": 1,
      },
    });
    const call = named(spans, "chat gpt-4o-mini");
    expect(call).toMatchObject({
      kind: CLIENT_SPAN,
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.usage.input_tokens": 10,
        "gen_ai.usage.output_tokens": 2,
        "http.response.status_code": 200,
        "sextant.request_id": id,
      },
    });
    for (const span of spans.filter((span) => span !== root)) {
      expect(span.parentSpanId).toBe(root?.spanId);
      expect(span.startMs).toBeGreaterThanOrEqual((root?.startMs ?? 0) - 0.01);
      expect(span.endMs).toBeLessThanOrEqual((root?.endMs ?? 0) + 0.01);
    }
  });

  it("show a decision and its steps", async () => {
    const { id, json } = await post("/v1/router", {
      messages: [{ role: "user", content: MARKER }],
      models: ["gpt-4o-mini", "gpt-4o"],
      execute: false,
    });
    const spans = await spansOf(id);
    const route = named(spans, "route");
    expect(route?.attributes).toMatchObject({
      "sextant.selected_model": json.routing.selected_model,
      "sextant.candidates": 2,
      "sextant.cost_weight": json.routing.cost_weight,
    });
    for (const name of ["embed", "search", "score"])
      expect(named(spans, name)?.parentSpanId).toBe(route?.spanId);
  });

  it("have one for each upstream call, the failed ones included", async () => {
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 503 }));
    const { id, status } = await chat();
    expect(status).toBe(502);
    const spans = await spansOf(id);
    const call = named(spans, "chat gpt-4o-mini");
    expect(call?.isError).toBe(true);
    expect(call?.attributes).toMatchObject({ "error.type": "overloaded", "http.response.status_code": 503 });
    const root = named(spans, "POST /v1/chat/completions");
    expect(root?.isError).toBe(true);
    expect(root?.attributes).toMatchObject({
      "error.type": "upstream_error",
      "http.response.status_code": 502,
    });
  });

  it("end with the stream, not with its first content", async () => {
    let finish: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    openai.answer(async (exchange) => {
      await eventReply([chunk({ role: "assistant" }), chunk({ content: "Hello" })], { ending: "stall" })(
        exchange,
      );
      await held;
      const rest = `${chunk({}).replace("null", '"stop"')}data: [DONE]\n\n`;
      await exchange.write(`${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
    });
    const stream = openStream(Number(new URL(address).port), {
      body: { model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "hi" }] },
    });
    const { headers } = await stream.head;
    await stream.received("Hello");
    const receivedMs = Date.now();
    await new Promise((resolve) => setTimeout(resolve, HELD_MS));
    finish();
    expect((await stream.ended).whole).toBe(true);
    const call = named(await spansOf(String(headers["x-request-id"])), "chat gpt-4o-mini");
    // The clocks of spans and of this test differ by some milliseconds.
    expect(call?.endMs).toBeGreaterThan(receivedMs + HELD_MS / 2);
  });

  it("are complete when the client goes away before the answer", async () => {
    openai.answer(
      eventReply([chunk({ role: "assistant" }), chunk({ content: "Hello" })], { ending: "stall" }),
    );
    const stream = openStream(Number(new URL(address).port), {
      body: { model: "gpt-4o-mini", stream: true, messages: [{ role: "user", content: "hi" }] },
    });
    const { headers } = await stream.head;
    await stream.received("Hello");
    stream.request.destroy();
    const spans = await spansOf(String(headers["x-request-id"]));
    expect(named(spans, "chat gpt-4o-mini")?.attributes).toMatchObject({
      "error.type": "client_disconnected",
    });
    expect(named(spans, "POST /v1/chat/completions")?.attributes).toMatchObject({
      "http.response.status_code": 499,
      "sextant.status": "error",
    });
  });

  it("show refused requests, without parts that they did not reach", async () => {
    const { id, status } = await chat({}, { "x-api-key": "pk_live_wrong" });
    expect(status).toBe(401);
    const spans = await spansOf(id);
    expect(spans.map(({ name }) => name)).toEqual(["POST /v1/chat/completions"]);
    expect(spans[0]).toMatchObject({ isError: false, attributes: { "error.type": "invalid_api_key" } });
  });
});

describe("The trace of the caller", () => {
  it("is continued, and passed on to the provider", async () => {
    const { id } = await chat({}, { traceparent: CALLER, tracestate: "vendor=1" });
    const spans = await spansOf(id);
    expect(spans[0]?.traceId).toBe(TRACE_ID);
    expect(named(spans, "POST /v1/chat/completions")?.parentSpanId).toBe("b7ad6b7169203331");
    const { headers } = openai.lastRequest;
    expect(headers.traceparent).toBe(`00-${TRACE_ID}-${named(spans, "chat gpt-4o-mini")?.spanId}-01`);
    expect(headers.tracestate).toBe("vendor=1");
  });

  it("is not exported where the caller does not sample it, and passed on as such", async () => {
    const unsampled = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";
    await chat({}, { traceparent: unsampled });
    expect(openai.lastRequest.headers.traceparent).toMatch(
      /^00-1af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-00$/,
    );
    await spansOf((await chat()).id);
    expect(collector.spans.filter(({ traceId }) => traceId.startsWith("1af7"))).toEqual([]);
  });

  it("is begun anew for a header that is none", async () => {
    const { id } = await chat({}, { traceparent: `00-${MARKER}-1-01` });
    expect((await spansOf(id))[0]?.traceId).toMatch(/^[0-9a-f]{32}$/);
  });

  it("is named in the log line of the request", async () => {
    const { id } = await chat({}, { traceparent: CALLER });
    const line = () =>
      logLines
        .map((text) => JSON.parse(text))
        .find(({ request_id, msg }) => request_id === id && msg === "request");
    await expect.poll(line).toMatchObject({ trace_id: TRACE_ID });
  });
});

describe("Exports", () => {
  it("go to the endpoint with the headers and the resource that OpenTelemetry's variables name", async () => {
    await spansOf((await chat()).id);
    expect(collector.exports[0]?.path).toBe("/v1/traces");
    expect(collector.exports[0]?.headers["x-tenant"]).toBe("acme");
    expect(collector.resource).toMatchObject({
      "service.name": "sextant",
      "deployment.environment.name": "test",
    });
  });

  it("hold no prompt, answer, key or provider's message", async () => {
    await chat({ messages: [{ role: "user", content: MARKER }], metadata: { tag: MARKER } });
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 400 }));
    await spansOf((await chat()).id);
    for (const { body } of collector.exports)
      expect(body).not.toMatch(new RegExp(`${MARKER}|${SECRET}|${KEY}`));
  });
});
