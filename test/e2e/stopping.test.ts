/** SIGTERM to a real server process: what becomes of the requests that it has. */
import { readFileSync } from "node:fs";
import { Agent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { CHAT_ONLY, eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { openStream } from "../gateway/server/chat/stream-client.js";
import { eventsOf, KEY } from "../gateway/server/server.js";
import { newFolder, removeFolder, startServe } from "./server-process.js";

const STREAMS = 100;
const REQUESTS = 100;

let folder: string;
let upstream: UpstreamServer;

beforeAll(async () => {
  upstream = await UpstreamServer.start(CHAT_ONLY);
});
afterAll(() => upstream.close());
beforeEach(() => {
  folder = newFolder();
  return () => removeFolder(folder);
});

const start = (environment: Readonly<Record<string, string>> = {}) =>
  startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_USD_PER_MONTH: "1000",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    ...environment,
  });

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }], max_tokens: 10_000 };

interface StoredTrace {
  readonly status: string;
  readonly tokens_out: number;
  readonly cost_usd: number;
}

/** All traces, by a server that is started for it: at least so many, as those that waited on disk are stored after its start. */
async function storedTraces(least: number): Promise<readonly StoredTrace[]> {
  const server = await start();
  try {
    for (;;) {
      const reply = await fetch(`${server.address}/v1/traces?limit=1000`, { headers: { "x-api-key": KEY } });
      const { traces } = (await reply.json()) as { traces: readonly StoredTrace[] };
      if (traces.length >= least) return traces;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    await server.stop();
  }
}

/** Billionths of a dollar that the one key has spent, as the data folder has it. */
function spentNanoUsd(): number {
  const { spent_nano_usd: spent } = JSON.parse(readFileSync(join(folder, "data", "spend.json"), "utf8"));
  return Object.values(spent as Record<string, number>).reduce((sum, amount) => sum + amount, 0);
}

describe("Streams in progress at the end of the grace period", () => {
  it.each(["1", "2"])(
    "end with an error event, are traced with what was generated, and charged for exactly that: %s processes",
    async (workers) => {
      // Tokens may be counted for as long after it, which takes a busy machine seconds.
      const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "5000", SEXTANT_WORKERS: workers });
      upstream.answer(
        eventReply([chunk({ role: "assistant" }), chunk({ content: "Hello" })], { ending: "stall" }),
      );
      const streams = Array.from({ length: STREAMS }, () =>
        openStream(server.port, { body: { ...body, stream: true } }),
      );
      await Promise.all(streams.map((stream) => stream.received("Hello")));
      expect(await server.stop()).toBe(0);
      for (const stream of streams) {
        await stream.ended;
        expect(eventsOf(stream.text()).at(-1)).toMatchObject({ error: { code: "overloaded" } });
      }
      const traces = await storedTraces(STREAMS);
      expect(traces).toHaveLength(STREAMS);
      for (const trace of traces) expect(trace).toMatchObject({ status: "error", tokens_out: 1 });
      const billedUsd = traces.reduce((sum, { cost_usd: costUsd }) => sum + costUsd, 0);
      expect(spentNanoUsd()).toBeCloseTo(billedUsd * 1e9, 0);
    },
  );

  it("are traced also when the client does not read", async () => {
    const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "500" });
    const long = chunk({ content: "x".repeat(1_000_000) });
    upstream.answer(
      eventReply([chunk({ content: "Hello" }), ...new Array(32).fill(long)], { ending: "stall" }),
    );
    const stream = openStream(server.port, { body: { ...body, stream: true } });
    await stream.received("Hello");
    (await stream.head).pause();
    expect(await server.stop()).toBe(0);
    stream.request.destroy();
    expect(await storedTraces(1)).toMatchObject([{ status: "error" }]);
  });
});

describe("A request that waits for its answer at the end of the grace period", () => {
  it("is answered with 503 and traced", async () => {
    const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "500" });
    const asked = new Promise<void>((resolve) => upstream.answer(() => resolve()));
    const reply = fetch(`${server.address}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    await asked;
    expect(await server.stop()).toBe(0);
    expect((await reply).status).toBe(503);
    expect(await (await reply).json()).toMatchObject({ error: { code: "overloaded" }, retry_after: 1 });
    expect(await storedTraces(1)).toMatchObject([{ status: "error" }]);
  });
});

describe("Requests that arrive as the server is told to stop", () => {
  /** Asks on a connection that is kept alive. @returns `sent`, and the status of the reply or the code of the failure */
  function ask(port: number, agent: Agent) {
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
    request.end(JSON.stringify(body));
    return { sent, status };
  }

  it.each([
    ["new connections", false],
    ["connections that were idle", true],
  ])("are answered without a connection reset: on %s", async (_, reused) => {
    const server = await start();
    upstream.answer(
      jsonReply({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: REQUESTS, maxFreeSockets: REQUESTS });
    const askOften = () => Array.from({ length: REQUESTS }, () => ask(server.port, agent));
    if (reused) await Promise.all(askOften().map(({ status }) => status));
    const asked = askOften();
    // On an idle connection, a request is on its way as soon as it is written.
    if (!reused) await Promise.all(asked.map(({ sent }) => sent));
    const stopped = server.stop();
    const statuses = await Promise.all(asked.map(({ status }) => status));
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(await stopped).toBe(0);
    agent.destroy();
  });

  it.each(["1", "2"])(
    "are answered although nothing of the grace period is left to accept them: %s processes",
    async (workers) => {
      const server = await start({ SEXTANT_SHUTDOWN_GRACE_MS: "0", SEXTANT_WORKERS: workers });
      const agent = new Agent({ maxSockets: REQUESTS });
      // The system accepts the connections and takes what is sent: the server reads it after it was told to stop.
      server.child.kill("SIGSTOP");
      const asked = Array.from({ length: REQUESTS }, () => ask(server.port, agent));
      await Promise.all(asked.map(({ sent }) => sent));
      const stopped = server.stop();
      server.child.kill("SIGCONT");
      const statuses = await Promise.all(asked.map(({ status }) => status));
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(await stopped).toBe(0);
      agent.destroy();
    },
  );
});
