import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ServerEvent } from "../../src/providers/http/server-events.js";
import { openUpstream, type Upstream, type UpstreamOptions } from "../../src/providers/http/upstream.js";
import { ProviderFault } from "../../src/providers/provider.js";
import { eventReply, jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";

const NEVER = new AbortController().signal;

let server: UpstreamServer;
const opened: Upstream[] = [];
beforeEach(async () => {
  server = await UpstreamServer.start();
});
afterEach(async () => {
  for (const upstream of opened.splice(0)) upstream.close();
  await server.close();
});

function open(options: Partial<UpstreamOptions> = {}): Upstream {
  const upstream = openUpstream({
    baseUrl: `${server.origin}/v1`,
    headers: {},
    connectTimeoutMs: 1000,
    maxConnections: 8,
    maxReplyBytes: 1_000_000,
    ...options,
  });
  opened.push(upstream);
  return upstream;
}

const request = (signal = NEVER) => ({ body: "{}", signal });

async function faultOf(work: Promise<unknown>): Promise<ProviderFault> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ProviderFault)) throw new Error(`no ProviderFault but ${error}`);
  return error;
}

async function collect(stream: AsyncIterable<readonly ServerEvent[]>): Promise<string[]> {
  const data: string[] = [];
  for await (const batch of stream) data.push(...batch.map((event) => event.data));
  return data;
}

describe("a posted request", () => {
  it("goes below the base URL's path, with its query and all headers", async () => {
    server.answer(jsonReply({ ok: true }));
    const upstream = open({
      baseUrl: `${server.origin}/openai/v1/?api-version=2`,
      headers: { authorization: "Bearer k" },
    });
    const { status, text } = await upstream.postJson("/chat", {
      body: '{"é":1}',
      headers: { "x-more": "m" },
      signal: NEVER,
    });
    expect({ status, text }).toEqual({ status: 200, text: '{"ok":true}' });
    expect(server.lastRequest).toMatchObject({
      method: "POST",
      path: "/openai/v1/chat?api-version=2",
      body: '{"é":1}',
      headers: { "content-type": "application/json", authorization: "Bearer k", "x-more": "m" },
    });
  });

  it("streams", async () => {
    server.answer(eventReply(["data: 1\n\nda", "ta: 2\n\n", "data: 3\n\n"]));
    const stream = await open().postForEvents("/chat", request());
    expect(await collect(stream)).toEqual(["1", "2", "3"]);
    server.answer(reply({ status: 503 }));
    expect(await faultOf(open().postForEvents("/chat", request()))).toMatchObject({ code: "overloaded" });
  });
});
