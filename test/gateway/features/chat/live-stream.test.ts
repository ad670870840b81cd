/** Streams over real connections: time, disconnects, slow clients, shutdown. Timers ring on demand. */
import { createConnection, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { SextantError } from "../../../../src/foundation/errors.js";
import { KEEP_ALIVE_MS } from "../../../../src/gateway/features/chat/answer-reply.js";
import type { Answer, AnswerStream } from "../../../../src/gateway/run/inference.js";
import type { RequestContext } from "../../../../src/gateway/run/request.js";
import { chunk, LiveStream, streamedAnswer, wholeAnswer } from "../../../fakes/inference.js";
import {
  begunClosing,
  eventsOf,
  helloChat,
  KEY,
  listening,
  startTestServer,
  type TestServer,
} from "../../server.js";
import { openStream } from "./stream-client.js";

const KEEP_ALIVE = ": keep-alive\n";
const asStream = { ...helloChat, stream: true };
const role = chunk({ role: "assistant", content: "" });
const turn = () => new Promise((resolve) => setImmediate(resolve));

let server: TestServer | undefined;
afterEach(async () => {
  await server?.app.close();
  server = undefined;
});

async function started() {
  server = startTestServer();
  const closing = begunClosing(server.app);
  const sockets: Socket[] = [];
  server.app.server.on("connection", (socket) => sockets.push(socket));
  return { ...server, closing, sockets, port: await listening(server.app) };
}

/** Asks for a stream that the test feeds. @param isDeaf does not hear that the client is gone */
async function liveStream({ paused = false, isDeaf = false } = {}) {
  const parts = await started();
  const asked = new Promise<{ live: LiveStream; context: RequestContext }>((begun) => {
    parts.inference.outcomes.push(async (_request, context) => {
      const live = new LiveStream(isDeaf ? undefined : context.signal);
      begun({ live, context });
      return streamedAnswer(live);
    });
  });
  const client = openStream(parts.port, { body: asStream, paused });
  return { ...parts, client, ...(await asked) };
}

interface Pending {
  readonly context: RequestContext;
  readonly resolve: (answer: Answer | AnswerStream) => void;
  readonly reject: (fault: Error) => void;
}

/** Asks for something that inference answers when the test says so. */
async function pending(body: object, path = "/v1/chat/completions", paused = false) {
  const parts = await started();
  const asked = new Promise<Pending>((begun) => {
    parts.inference.outcomes.push(
      (_request, context) =>
        new Promise((resolve, reject) => {
          context.signal.addEventListener("abort", () => reject(context.signal.reason), { once: true });
          begun({ context, resolve, reject });
        }),
    );
  });
  const client = openStream(parts.port, { body, path, paused });
  return { ...parts, client, ...(await asked) };
}

const aborted = ({ signal }: RequestContext) =>
  signal.aborted
    ? undefined
    : new Promise<void>((resolve) => signal.addEventListener("abort", resolve, { once: true }));

describe("A live stream", () => {
  it("forwards each chunk before the next one exists", async () => {
    const { client, live } = await liveStream();
    live.push([role]);
    await client.received('"role":"assistant"');
    for (const word of ["one", "two", "three"]) {
      live.push([chunk({ content: word })]);
      await client.received(word);
    }
    live.end();
    const { text, whole } = await client.ended;
    expect(whole).toBe(true);
    expect(text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  it("sends a comment after each silence of 15 s, and none while there is something to send", async () => {
    const { client, live, timers } = await liveStream();
    live.push([role]);
    await client.received("assistant");
    expect(timers.waiting).toEqual([15_000]);
    expect(client.text()).not.toContain(KEEP_ALIVE);
    timers.ring();
    await client.received(KEEP_ALIVE);
    timers.ring();
    await client.received(KEEP_ALIVE + KEEP_ALIVE);
    const { refreshed } = timers;
    live.push([chunk({ content: "at last" })]);
    await client.received("at last");
    expect(timers.refreshed).toBe(refreshed + 1);
    live.end();
    expect((await client.ended).text.endsWith("[DONE]\n\n")).toBe(true);
    expect(timers.waiting).toEqual([]);
  });

  it("keeps the connection open before there is any content, and then continues normally", async () => {
    const { client, timers, resolve } = await pending(asStream);
    timers.ring();
    const { statusCode, headers } = await client.head;
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(headers["x-request-id"]).toMatch(/^req_/);
    await client.received(KEEP_ALIVE);
    resolve(streamedAnswer());
    const { text } = await client.ended;
    expect(text.startsWith(`${KEEP_ALIVE}data: {`)).toBe(true);
    expect(eventsOf(text).at(-1)).toBe("[DONE]");
  });

  it("keeps Messages open with pings, as Anthropic does", async () => {
    const asked = { ...helloChat, max_tokens: 5, stream: true };
    const { client, timers, resolve } = await pending(asked, "/v1/messages");
    timers.ring();
    await client.received('event: ping\ndata: {"type": "ping"}\n\n');
    resolve(streamedAnswer());
    expect((await client.ended).text).toContain("event: message_stop");
  });

  it("reports a failure as an event once the stream is open, and ends it without [DONE]", async () => {
    const { client, timers, reject } = await pending(asStream);
    timers.ring();
    await client.received(KEEP_ALIVE);
    reject(new SextantError("upstream_error", "Nobody answers.", { extra: { attempts: [] } }));
    const { text, whole } = await client.ended;
    expect(whole).toBe(true);
    expect(eventsOf(text)).toEqual([
      {
        error: { message: "Nobody answers.", type: "api_error", code: "upstream_error", param: null },
        attempts: [],
        request_id: (await client.head).headers["x-request-id"],
      },
    ]);
  });

  it("that is in progress when the server stops is finished; the connection is then closed", async () => {
    const { app, closing, client, live } = await liveStream();
    live.push([role]);
    await client.received("assistant");
    const closed = app.close();
    await closing;
    live.push([chunk({ content: "still here" })]);
    await client.received("still here");
    live.end();
    expect((await client.ended).text.endsWith("[DONE]\n\n")).toBe(true);
    await closed;
  });
});

describe("A client that disconnects", () => {
  const ways = [
    ["destroys its connection", (socket: Socket) => socket.destroy()],
    ["resets its connection", (socket: Socket) => socket.resetAndDestroy()],
    ["says that it sends and reads no more", (socket: Socket) => socket.end()],
  ] as const;

  it.each(ways)(
    "during a stream aborts the upstream at once, and ends the iteration: it %s",
    async (_, leave) => {
      const { client, live, context, timers, logLines, metrics } = await liveStream();
      live.push([role]);
      await client.received("assistant");
      const gone = aborted(context);
      client.request.on("error", () => {});
      leave(client.request.socket as Socket);
      await gone;
      await live.left;
      expect(timers.waiting).toEqual([]);
      expect(logLines).toEqual([]);
      expect(await metrics.text()).toMatch(/sextant_http_requests_total\{.*status="499".*\} 1/);
      expect(await metrics.text()).toContain("sextant_requests_in_flight 0");
    },
  );

  it.each(
    ways.flatMap(([way, leave]) => [
      ["a stream's first content", way, asStream, leave] as const,
      ["a whole answer", way, helloChat, leave] as const,
    ]),
  )("before %s aborts the upstream: it %s", async (_, _way, body, leave) => {
    const { app, client, context, timers, logLines } = await pending(body);
    const gone = aborted(context);
    client.head.catch(() => {});
    leave(client.request.socket as Socket);
    await gone;
    await app.close();
    expect(timers.waiting).toEqual([]);
    expect(logLines).toEqual([]);
  });

  it.each(ways)("in the middle of its body is not logged as an error: it %s", async (_, leave) => {
    const { app, port, logLines, metrics } = await started();
    const arrived = new Promise<void>((resolve) => {
      app.server.once("request", (request) => request.once("data", () => resolve()));
    });
    const socket = createConnection(port, "127.0.0.1").on("error", () => {});
    socket.write(
      `POST /v1/router HTTP/1.1\r\nhost: x\r\nx-api-key: ${KEY}\r\ncontent-type: application/json\r\n` +
        'content-length: 1000\r\n\r\n{"messages":',
    );
    await arrived;
    const counted = () => metrics.text().then((text) => text.includes('route="/v1/router",status="499"'));
    leave(socket);
    while (!(await counted())) await turn();
    expect(logLines).toEqual([]);
  });

  it("ends an iteration that ignores the signal at its next batch", async () => {
    const { client, live, context } = await liveStream({ isDeaf: true });
    live.push([role]);
    await client.received("assistant");
    const gone = aborted(context);
    client.request.on("error", () => {});
    client.request.destroy();
    await gone;
    live.push([chunk({ content: "to nobody" })]);
    await live.left;
    expect(live.taken).toBe(2);
  });

  it("after a whole answer aborts nothing", async () => {
    const { app, client, context, resolve } = await pending(helloChat);
    resolve(wholeAnswer());
    await client.ended;
    client.request.destroy();
    await app.close();
    expect(context.signal.aborted).toBe(false);
  });
});

describe("A client that reads slowly", () => {
  const batch = [chunk({ content: "x".repeat(16_384) })];
  const BATCHES = 2_000;

  /** When its client has taken nothing for a while of what waits for it. */
  async function stuck([socket]: readonly Socket[]): Promise<void> {
    for (let sent = -1, quiet = 0; quiet < 50; await turn()) {
      quiet = socket?.writableLength && sent === socket.bytesWritten ? quiet + 1 : 0;
      sent = socket?.bytesWritten ?? -1;
    }
  }

  /** A stream of 32 MB for a client that reads nothing, when the server has stopped sending. */
  async function stalled() {
    const parts = await liveStream({ isDeaf: true, paused: true });
    const { live, sockets } = parts;
    live.push(...Array.from({ length: BATCHES }, () => batch));
    live.end();
    const head = await parts.client.head;
    await stuck(sockets);
    return { ...parts, head };
  }

  it("applies back-pressure to the stream, and gets all of it in the end", async () => {
    const { live, client, head, timers } = await stalled();
    // What the system's own buffers take, and hardly more.
    expect(live.taken).toBeLessThan(BATCHES / 2);
    head.resume();
    const { text, whole } = await client.ended;
    expect(whole).toBe(true);
    expect(text.split("data: ")).toHaveLength(BATCHES + 3);
    // Nothing counts the time any more.
    expect(timers.waiting).toEqual([]);
  });

  it("gets no comments meanwhile, and is disconnected once it has not read for too long", async () => {
    const { live, timers, context, client, sockets } = await stalled();
    for (let ring = 0; ring < 10; ring++) timers.ring(KEEP_ALIVE_MS);
    expect(context.signal.aborted).toBe(false);
    const gone = aborted(context);
    // Node counts the time of a connection on which nothing happens.
    sockets[0]?.emit("timeout");
    await gone;
    await live.left;
    expect(live.taken).toBeLessThan(BATCHES / 2);
    expect(client.text()).not.toContain(KEEP_ALIVE);
    expect(timers.waiting).toEqual([]);
  });

  it("of a whole answer is disconnected in the same way, but not while that is being made", async () => {
    const { sockets, client, resolve } = await pending(helloChat, "/v1/chat/completions", true);
    sockets[0]?.emit("timeout");
    await turn();
    expect(sockets[0]?.destroyed).toBe(false);
    const whole = wholeAnswer();
    resolve({ ...whole, completion: { ...whole.completion, note: "x".repeat(32_000_000) } });
    await stuck(sockets);
    client.request.on("error", () => {});
    sockets[0]?.emit("timeout");
    await turn();
    expect(sockets[0]?.destroyed).toBe(true);
  });
});
