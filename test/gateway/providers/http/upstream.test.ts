import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parsedJson } from "../../../../src/gateway/providers/chat.js";
import { EventReply } from "../../../../src/gateway/providers/http/event-stream.js";
import { WholeReply } from "../../../../src/gateway/providers/http/reply.js";
import type { ServerEvent } from "../../../../src/gateway/providers/http/server-events.js";
import {
  openUpstream,
  type Upstream,
  type UpstreamOptions,
} from "../../../../src/gateway/providers/http/upstream.js";
import { ProviderFault, type ReplyHeaders } from "../../../../src/gateway/providers/provider.js";
import { type Exchange, jsonReply, reply, UpstreamServer } from "../../../fakes/upstream-server.js";
import { rejectionOf } from "../../../support/errors.js";
import { LIMITS } from "../limits.js";

const NEVER = new AbortController().signal;
const GONE = new Error("the client is gone");

let server: UpstreamServer;
const opened: Upstream[] = [];
beforeEach(async () => {
  server = await UpstreamServer.start();
});
afterEach(async () => {
  vi.useRealTimers();
  for (const upstream of opened.splice(0)) upstream.close();
  await server.close();
});

function open(options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = openUpstream({ ...LIMITS, baseUrl: `${server.origin}/v1`, headers: {}, ...options });
  opened.push(upstream);
  return upstream;
}

const request = (signal = NEVER) => ({ body: "{}", signal });

const faultOf = (work: Promise<unknown>) => rejectionOf(work, ProviderFault);

async function batchesOf(stream: AsyncIterable<readonly ServerEvent[]>): Promise<string[][]> {
  const batches: string[][] = [];
  for await (const batch of stream) batches.push(batch.map(({ data }) => data));
  return batches;
}

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
const CHUNKED = "transfer-encoding: chunked\r\n\r\n";

/** A stream that has begun, and the exchange on which a test writes it. */
async function begun({ upstream = open(), signal = NEVER, framing = CHUNKED } = {}) {
  const seen = nextExchange();
  const streaming = upstream.postForEvents("/", request(signal));
  const exchange = await seen;
  await exchange.write(HEAD + framing);
  return { exchange, stream: await streaming };
}

/** The next exchange, to be answered by hand. */
function nextExchange(): Promise<Exchange> {
  return new Promise((resolve) => server.answer(resolve));
}

describe("A POST request to an upstream", () => {
  it("has a reply of several megabytes whole, wherever its characters are cut", async () => {
    const text = `{"said":"${"größer – 漢字 ".repeat(200_000)}"}`;
    server.answer(reply({ body: text, headers: { "content-type": "application/json" } }));
    const upstream = open({ maxReplyBytes: 10_000_000 });
    expect((await upstream.postJson("/chat/completions", request())).text === text).toBe(true);
  });

  it("is sent below the base URL's path, with its query and all headers", async () => {
    server.answer(jsonReply({ ok: true }));
    const baseUrl = `${server.origin}/openai/v1/?api-version=2`;
    const upstream = open({ baseUrl, headers: { authorization: "Bearer k" } });
    const posted = { body: '{"é":1}', headers: { "x-more": "m" }, signal: NEVER };
    const { status, text, headers } = await upstream.postJson("/chat", posted);
    expect([status, text, headers["content-type"]]).toEqual([200, '{"ok":true}', "application/json"]);
    expect(server.lastRequest).toMatchObject({
      method: "POST",
      path: "/openai/v1/chat?api-version=2",
      body: '{"é":1}',
      headers: { "content-type": "application/json", authorization: "Bearer k", "x-more": "m" },
    });
  });

  it.each([
    ["cut \ud83d", "cut \ufffd"],
    ["\udc00 \ud83d\ude00", "\ufffd \ud83d\ude00"],
    ["\\ud83d", "\\ud83d"],
    ["\\\ud83d\\", "\\\ufffd\\"],
  ])("has U+FFFD for halves of characters: %j", async (text, whole) => {
    const upstream = open();
    const body = `{"escaped": "\\uD83D\\uDE00", "text": ${JSON.stringify(text)}}`;
    server.answer(jsonReply({}));
    await upstream.postJson("/", { body, signal: NEVER });
    expect(JSON.parse(server.lastRequest.body)).toEqual({ text: whole, escaped: "\ud83d\ude00" });
  });

  it("has the digits of numbers as they came", async () => {
    const body = '{"input":{"id":2512292042121000001,"share":1.0}}';
    server.answer(jsonReply({}));
    await open().postJson("/", { body: JSON.stringify(parsedJson(body)), signal: NEVER });
    expect(server.lastRequest.body).toBe(body);
  });

  it("requests no compression", async () => {
    server.answer(reply({ headers: { "content-encoding": "gzip" }, body: "x" }));
    expect(await faultOf(open().postJson("/", request()))).toMatchObject({ code: "invalid_reply" });
    expect(server.lastRequest.headers["accept-encoding"]).toBe("identity");
  });

  it("reads only as much of an error as its classification needs", async () => {
    const seen = nextExchange();
    const failed = faultOf(open().postJson("/", request()));
    const exchange = await seen;
    await exchange.write("HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n");
    await exchange.write(`20000\r\n${"x".repeat(0x20000)}\r\n`);
    expect(await failed).toMatchObject({ code: "overloaded", status: 503 });
    await exchange.closed;
  });

  it("reports an error status even when the connection breaks before the end of its body", async () => {
    server.answer(reply({ status: 429, headers: { "retry-after": "1" }, body: "{", ending: "reset" }));
    const fault = await faultOf(open().postJson("/", request()));
    expect(fault).toMatchObject({ code: "rate_limited", retryAfterMs: 1000 });
  });

  it("uses the given clock when `Retry-After` is a date", async () => {
    const headers = { "retry-after": "Thu, 01 Jan 2026 00:00:30 GMT" };
    server.answer(reply({ status: 429, headers }));
    const upstream = open({ now: () => Date.parse("2026-01-01T00:00:20Z") });
    expect((await faultOf(upstream.postJson("/", request()))).retryAfterMs).toBe(10_000);
  });

  it.each([
    ["UND_ERR_CONNECT_TIMEOUT", "timeout"],
    ["ECONNREFUSED", "connection_error"],
    ["ENOTFOUND", "connection_error"],
    ["CERT_HAS_EXPIRED", "connection_error"],
    ["UND_ERR_HEADERS_OVERFLOW", "invalid_reply"],
  ])("that meets %s fails with %s", async (code, expected) => {
    const failed = new Promise((resolve, reject) => {
      const options = { signal: NEVER, maxReplyBytes: 1, maxStreamBytes: 1, now: Date.now };
      const cause = Object.assign(new Error("to 10.0.0.7"), { code });
      new WholeReply(options, { resolve, reject }).onResponseError(undefined, cause);
    });
    const fault = await faultOf(failed);
    expect(fault).toMatchObject({ code: expected, status: null });
    expect(fault.message).not.toContain("10.0.0.7");
  });

  it("rejects bytes that are not HTTP", async () => {
    server.answer(({ write }) => write("SSH-2.0-OpenSSH_9.9\r\n\r\n"));
    expect(await faultOf(open().postJson("/", request()))).toMatchObject({ code: "invalid_reply" });
  });

  it("waits for a free connection, and can be aborted meanwhile", async () => {
    const upstream = open({ maxConnections: 1 });
    const seen = nextExchange();
    const first = upstream.postJson("/first", request());
    const exchange = await seen;
    const abort = new AbortController();
    const second = upstream.postJson("/second", request(abort.signal)).catch((reason: unknown) => reason);
    const third = upstream.postJson("/third", request());
    abort.abort(GONE);
    expect(await second).toBe(GONE);
    server.answer(jsonReply(3));
    await jsonReply(1)(exchange);
    expect([(await first).text, (await third).text]).toEqual(["1", "3"]);
    expect(server.requests.map(({ path }) => path)).toEqual(["/v1/first", "/v1/third"]);
    expect(server.connections).toBe(1);
  });
});

describe("An invalid upstream address", () => {
  it.each([
    ["api.example.com/v1", /not a URL/],
    ["ftp://example.com", /starts with ftp:/],
    ["http://user:hunter2@example.com/v1", /holds credentials/],
  ])("is refused: %s", (baseUrl, message) => {
    expect(() => open({ baseUrl })).toThrow(message);
    expect(() => open({ baseUrl })).not.toThrow(/hunter2/);
  });

  it("is refused with a key that cannot be a header value, without quoting the key", () => {
    const headers = { authorization: "Bearer hunter2\nx" };
    expect(() => open({ headers })).toThrow(/header authorization/);
    expect(() => open({ headers })).not.toThrow(/hunter2/);
  });
});

describe("A stream of upstream events", () => {
  it("arrives in batches of what one network read completes", async () => {
    const { exchange, stream } = await begun();
    const iterator = stream[Symbol.asyncIterator]();
    const next = iterator.next();
    // Three chunks, two events and a part, in one read.
    await exchange.write("9\r\ndata: 1\n\n\r\n9\r\ndata: 2\n\n\r\n4\r\ndata\r\n");
    expect((await next).value?.map(({ data }) => data)).toEqual(["1", "2"]);
    await exchange.write("5\r\n: 3\n\n\r\n0\r\n\r\n");
    expect((await iterator.next()).value?.map(({ data }) => data)).toEqual(["3"]);
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  const LARGE = Buffer.from(`data: ${"x".repeat(30_000)}\n\n`);
  const handOver = (headers: ReplyHeaders) => {
    const asked: string[] = [];
    const asks = (what: string) => () => void asked.push(what);
    const connection = { abort: asks("abort"), pause: asks("pause"), resume: asks("resume") };
    const options = { signal: NEVER, maxReplyBytes: 100_000, maxStreamBytes: 1_000_000, now: () => 0 };
    const stream = new EventReply(options, { resolve: () => {}, reject: () => {} });
    stream.onRequestStart(connection);
    stream.onResponseStart(connection, 200, { "content-type": "text/event-stream", ...headers });
    return { stream, asked, arrives: () => stream.onResponseData(connection, LARGE) };
  };

  it("pauses its connection while more than 64 KiB wait for a slow reader", async () => {
    const { stream, asked, arrives } = handOver({ "transfer-encoding": "chunked" });
    arrives();
    arrives();
    expect(asked).toEqual([]);
    arrives();
    expect(asked).toEqual(["pause"]);
    expect((await stream.next()).value).toHaveLength(3);
    expect(asked).toEqual(["pause", "resume"]);
  });

  it.each<[ReplyHeaders]>([[{}], [{ "transfer-encoding": "chunked", connection: "Close" }]])(
    "does not pause a connection that ends with it, and has a limit of what waits instead: %j",
    async (headers) => {
      const { stream, asked, arrives } = handOver(headers);
      for (let events = 0; events < 3; events++) arrives();
      expect(asked).toEqual([]);
      for (let events = 0; events < 3; events++) arrives();
      expect((await stream.next()).value).toHaveLength(4);
      expect(await faultOf(stream.next())).toMatchObject({ code: "reply_too_large" });
      expect(asked).toEqual(["abort"]);
    },
  );

  it("has a total size limit, even when every event is small and read at once", async () => {
    const { exchange, stream } = await begun({ upstream: open({ maxReplyBytes: 1250 }) });
    const reading = faultOf(batchesOf(stream));
    const event = "data: 12345678\n\n".repeat(125);
    for (let sent = 0; sent < 6; sent++) await exchange.write(`${event.length.toString(16)}\r\n${event}\r\n`);
    const message = "the provider's stream is longer than 10000 bytes";
    expect(await reading).toMatchObject({ code: "reply_too_large", message });
    await exchange.closed;
  });
  const reset = (exchange: Exchange) => exchange.reset();
  const end = (exchange: Exchange) => exchange.end();
  const LARGE_CHUNK = `${CHUNKED}30D4A\r\n`;
  it.each([
    ["reset", `Connection: Close\r\n${LARGE_CHUNK}`, reset],
    ["reset", "connection: close\r\n\r\n", reset],
    ["ended", "connection: close\r\n\r\n", end],
    ["reset", "\r\n", reset],
    ["reset", LARGE_CHUNK, reset],
  ])("survives being %s while nobody reads it, after %j", async (_, framing, finish) => {
    const { exchange, stream } = await begun({ framing });
    // More than may wait, so that it may be paused where that is possible.
    await exchange.write(`data: ${"x".repeat(66_000)}\n\n`);
    await stream.next();
    for (let sent = 0; sent < 2; sent++) await exchange.write(`data: ${"x".repeat(66_000)}\n\n`);
    finish(exchange);
    await exchange.closed;
    const end = await batchesOf(stream).catch((reason: unknown) => reason);
    if (end instanceof ProviderFault) expect(end.code).toBe("cut_off");
    else expect(end).not.toHaveLength(0);
  });

  it("keeps its connection when iteration stops and it ends soon", async () => {
    const upstream = open({ maxConnections: 1 });
    const { exchange, stream } = await begun({ upstream });
    await exchange.write("9\r\ndata: 1\n\n\r\n");
    await stream.next();
    stream.release();
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await exchange.write("9\r\ndata: 2\n\n\r\n0\r\n\r\n");
    server.answer(jsonReply(1));
    await upstream.postJson("/", request());
    expect(server.connections).toBe(1);
  });

  it.each([
    ["a stream without a type of its own", "text/plain", ": hello\n\ndata: 1\n\n", ["1"]],
    ["a stream that calls itself JSON", "application/json", "data: 1\n\ndata: 2\n\n", ["1", "2"]],
    ["JSON", "application/json", '{"a":1}', ['{"a":1}']],
    // github.com/envoyproxy/ai-gateway/pull/2229 (2026-06-12)
    ["JSON that calls itself a stream", "text/event-stream", ' {"a":\n1}', [' {"a":\n1}']],
    ["an event without the empty line after it", "text/event-stream", "data: 1\n\ndata: 2", ["1", "2"]],
  ])("is read from %s", async (_, type, body, events) => {
    server.answer(reply({ headers: { "content-type": type }, body }));
    const batches = await batchesOf(await open().postForEvents("/", request()));
    expect(batches.flat()).toEqual(events);
  });

  it("ends three seconds after its reader has the whole answer, and has what comes until then", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { exchange, stream } = await begun();
    await exchange.write("9\r\ndata: 1\n\n\r\n");
    await stream.next();
    stream.expectEnd();
    await exchange.write("9\r\ndata: 2\n\n\r\n");
    expect((await stream.next()).value).toMatchObject([{ data: "2" }]);
    const last = stream.next();
    await exchange.write("5\r\n: 3\n\n\r\n");
    vi.advanceTimersByTime(3000);
    expect(await last).toEqual({ done: true, value: undefined });
    await exchange.closed;
  });

  it("is closed three seconds after iteration stops", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const abort = new AbortController();
    const { exchange, stream } = await begun({ signal: abort.signal });
    await exchange.write("9\r\ndata: 1\n\n\r\n");
    stream.release();
    abort.abort(GONE);
    vi.advanceTimersByTime(3000);
    await exchange.closed;
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
