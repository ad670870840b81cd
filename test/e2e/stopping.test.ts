/** SIGTERM to a real server process: what becomes of the requests that it has. */
import { Agent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SqliteStore } from "../../src/gateway/storage/sqlite-store.js";
import { CHAT_ONLY, eventReply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/features/chat/stream-client.js";
import { eventsOf, KEY } from "../gateway/server.js";
import { folderForTest } from "../support/folders.js";
import { asOpenAi, chatChunk, chatReply, stalledStream } from "./replies.js";
import { sampleSet } from "./sample-set.js";
import { startServe } from "./server-process.js";
import { callerOf } from "./whole-gateway.js";

const STREAMS = 20;
const REQUESTS = 50;

let folder: string;
let upstream: UpstreamServer;
beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
});
afterAll(() => upstream.close());
beforeEach(() => {
  folder = folderForTest();
});

const start = (environment: Readonly<Record<string, string>> = {}) =>
  startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_USD_PER_MONTH: "1000",
    SEXTANT_PROFILES: sampleSet(),
    ...asOpenAi(upstream),
    ...environment,
  });

const ask = (content: string) => ({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content }],
  max_tokens: 10_000,
});

interface StoredTrace {
  readonly status: string;
  readonly streamed: boolean;
  readonly tokens_out: number;
  readonly cost_usd: number;
}

/** All traces, by a server that is started for it: at least so many, as those that waited on disk are stored after its start. */
async function storedTraces(least: number): Promise<readonly StoredTrace[]> {
  const server = await start();
  const call = callerOf(server.address);
  const stored = async () => (await call("/v1/traces?limit=1000")).json().traces as readonly StoredTrace[];
  await expect.poll(async () => (await stored()).length).toBeGreaterThanOrEqual(least);
  const traces = await stored();
  await server.stop();
  return traces;
}

/** Billionths of a dollar that the one key has spent, as the data folder has it. */
async function spentNanoUsd(): Promise<number> {
  const store = new SqliteStore(join(folder, "data"));
  const spent = store.sums().reduce((sum, { amount }) => sum + amount, 0);
  await store.close();
  return spent;
}

it("What is in progress at the end of the grace period is ended with an error, traced with what was generated, and charged for exactly that", async () => {
  // Tokens may be counted for as long after it, which takes a busy machine seconds.
  const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "5000" });
  const long = Array(32).fill(chatChunk({ content: "x".repeat(1_000_000) }));
  const isAsked = new Promise<void>((resolve) =>
    upstream.answer((exchange) => {
      if (exchange.request.body.includes("never answered")) return resolve();
      if (!exchange.request.body.includes("too much")) return stalledStream()(exchange);
      return eventReply([chatChunk({ content: "Hello" }), ...long], { ending: "stall" })(exchange);
    }),
  );
  const streamOf = (content: string) => openStream(server.port, { body: { ...ask(content), stream: true } });
  const streams = Array.from({ length: STREAMS }, () => streamOf("hello"));
  const unread = streamOf("too much to read");
  await Promise.all([...streams, unread].map((stream) => stream.received("Hello")));
  (await unread.head).pause();
  const waiting = callerOf(server.address)("/v1/chat/completions", { body: ask("never answered") });
  await isAsked;

  expect(await server.stop()).toBe(0);
  unread.request.destroy();
  for (const stream of streams) {
    await stream.ended;
    expect(eventsOf(stream.text()).at(-1)).toMatchObject({ error: { code: "overloaded" } });
  }
  const refused = await waiting;
  expect(refused.status).toBe(503);
  expect(refused.json()).toMatchObject({ error: { code: "overloaded" }, retry_after: 1 });

  const traces = await storedTraces(STREAMS + 2);
  expect(traces).toHaveLength(STREAMS + 2);
  expect(new Set(traces.map(({ status }) => status))).toEqual(new Set(["error"]));
  expect(traces.filter(({ tokens_out: tokens }) => tokens === 1)).toHaveLength(STREAMS);
  const billedUsd = traces.reduce((sum, { cost_usd: costUsd }) => sum + costUsd, 0);
  expect(await spentNanoUsd()).toBeCloseTo(billedUsd * 1e9, 0);
});

describe("Requests that arrive as the server is told to stop are answered without a connection reset", () => {
  const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS, maxFreeSockets: REQUESTS });
  afterAll(() => agent.destroy());

  /** @returns `sent`, and the status of the reply or the code of the failure */
  function send(port: number) {
    const request = httpRequest({
      port,
      agent,
      host: "127.0.0.1",
      method: "POST",
      path: "/v1/chat/completions",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
    });
    const sent = new Promise<void>((resolve) => request.once("finish", resolve));
    const status = new Promise<number | string>((resolve) => {
      request.on("response", (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      });
      request.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
    request.end(JSON.stringify(ask("hello")));
    return { sent, status };
  }
  const sendOften = (port: number) => Array.from({ length: REQUESTS }, () => send(port));

  it.each(["new connections", "connections that were idle"])("on %s", async (on) => {
    upstream.answer(chatReply({ content: "Hi" }));
    const server = await start();
    const isReused = on !== "new connections";
    if (isReused) await Promise.all(sendOften(server.port).map(({ status }) => status));
    const asked = sendOften(server.port);
    // On an idle connection, a request is on its way as soon as it is written.
    if (!isReused) await Promise.all(asked.map(({ sent }) => sent));
    const stopped = server.stop();
    const statuses = await Promise.all(asked.map(({ status }) => status));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await stopped).toBe(0);
  });

  it("although nothing of the grace period is left to accept them", async () => {
    upstream.answer(chatReply({ content: "Hi" }));
    const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "0" });
    // The system accepts the connections and takes what is sent: the server reads it after it was told to stop.
    server.child.kill("SIGSTOP");
    const asked = sendOften(server.port);
    await Promise.all(asked.map(({ sent }) => sent));
    const stopped = server.stop();
    server.child.kill("SIGCONT");
    const statuses = await Promise.all(asked.map(({ status }) => status));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await stopped).toBe(0);
  });
});
