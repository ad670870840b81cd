/** Providers that send no usage: their tokens are counted, and nobody waits for that but the answer itself. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../server/server.js";
import { openStream } from "../server/stream-client.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "./server-process.js";

const CLIENTS = 40;
/** API §2: a client's disconnect aborts the upstream call within 100 ms. */
const LIMIT_MS = 100;

const chunk = (delta: object) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`;

let folder: string;
let upstream: UpstreamServer;
let server: ServerProcess;

const start = () =>
  startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
  });

beforeAll(async () => {
  folder = newFolder();
  upstream = await UpstreamServer.start();
  server = await start();
});
afterAll(async () => {
  await server.stop();
  await upstream.close();
  removeFolder(folder);
});

const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: "hello" }] };

/** Opens that many streams that never end. @returns how each is left, and when its upstream call was closed */
async function openStreams(count: number) {
  const closed: Promise<number>[] = [];
  const stalled = eventReply([chunk({ role: "assistant" }), chunk({ content: "Hello" })], {
    ending: "stall",
  });
  upstream.answer((exchange) => {
    closed.push(exchange.closed.then(() => performance.now()));
    return stalled(exchange);
  });
  const clients = [];
  for (let client = 0; client < count; client++) {
    const stream = openStream(server.port, { body: { ...body, stream: true } });
    await stream.received("Hello");
    stream.request.on("error", () => {});
    clients.push({
      leave: () => stream.request.destroy(),
      closed: closed[client] ?? Promise.reject(new Error()),
    });
  }
  return clients;
}

describe("a client that leaves while nothing has been counted yet", () => {
  // What blocks the server blocks it every time; what the machine does to a wait, it does now and then.
  it("ends its upstream call within 100 ms, and so do those that leave right after it", {
    retry: 2,
  }, async () => {
    // The first count is the one that loads the tokenizer.
    await server.stop();
    server = await start();
    const clients = await openStreams(CLIENTS);
    const waits: Promise<number>[] = [];
    for (const { leave, closed } of clients) {
      const leftMs = performance.now();
      leave();
      waits.push(closed.then((closedMs) => closedMs - leftMs));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(Math.max(...(await Promise.all(waits)))).toBeLessThan(LIMIT_MS);
  });
});

describe("an answer without usage", () => {
  it("is counted by the tokenizer and says so", async () => {
    const message = { role: "assistant", content: "Hello world" };
    upstream.answer(
      jsonReply({
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message, finish_reason: "stop" }],
      }),
    );
    const reply = await fetch(`${server.address}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { usage } = (await reply.json()) as { usage: object };
    expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 2, estimated: true });
  });
});
