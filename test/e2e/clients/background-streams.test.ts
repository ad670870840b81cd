/** Streams of runs in the background, by OpenAI's own client: their events, going on after a break, and their one bill. */
import OpenAI from "openai";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventReply, jsonReply, reply, type Script } from "../../fakes/upstream-server.js";
import { type Gateway, KEY, startGateway } from "./gateway.js";

const model = "gpt-5.6-luna";
const TEXT = ["It ", "is ", "3 °C."];
let made = 0;

/**
 * A server that goes on with a run whoever reads its events, and gives them again from any of them on: OpenAI's guide on the
 * background, https://platform.openai.com/docs/guides/background (2026-11-25).
 */
class BackgroundUpstream {
  /** Requests that were sent, as their method and path. */
  readonly asked: string[] = [];
  /** How many events a first stream sends before it breaks off. */
  breaksAfter = Number.POSITIVE_INFINITY;
  fails = false;
  readonly id = `resp_background_${made++}`;

  readonly script: Script = (exchange) => {
    const { method, path } = exchange.request;
    this.asked.push(`${method} ${path}`);
    const url = new URL(path, "http://openai");
    const after = Number(url.searchParams.get("starting_after") ?? -1);
    const streams = method === "POST" || url.searchParams.get("stream") === "true";
    const answer = !streams
      ? jsonReply(this.#response(this.fails ? "failed" : "completed"))
      : method === "POST" && this.breaksAfter < this.#events().length
        ? reply({
            headers: { "content-type": "text/event-stream" },
            body: this.#events().slice(0, this.breaksAfter),
            ...{ framing: "chunked", ending: "cut" },
          })
        : eventReply(this.#events().slice(after + 1));
    return answer(exchange);
  };

  #response(status: string) {
    const ended = status === "completed";
    const content = [{ type: "output_text", text: TEXT.join(""), annotations: [], logprobs: [] }];
    return {
      ...{ id: this.id, object: "response", created_at: 1, status, model, background: true, store: true },
      error: status === "failed" ? { code: "server_error", message: "It broke." } : null,
      output: ended ? [{ id: "msg_1", type: "message", role: "assistant", status, content }] : [],
      usage: ended
        ? {
            ...{ input_tokens: 1000, input_tokens_details: { cached_tokens: 0 }, total_tokens: 1200 },
            ...{ output_tokens: 200, output_tokens_details: { reasoning_tokens: 50 } },
          }
        : null,
    };
  }

  #events(): readonly string[] {
    const last = this.fails ? "failed" : "completed";
    const events = [
      { type: "response.created", response: this.#response("queued") },
      { type: "response.queued", response: this.#response("queued") },
      { type: "response.in_progress", response: this.#response("in_progress") },
      ...TEXT.map((delta) => ({ type: "response.output_text.delta", item_id: "msg_1", delta, logprobs: [] })),
      { type: `response.${last}`, response: this.#response(last) },
    ];
    return events.map(
      (event, sequence_number) =>
        `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
    );
  }
}

let gateway: Gateway;
let upstream: BackgroundUpstream;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startGateway({});
  client = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: KEY, maxRetries: 0 });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  upstream = new BackgroundUpstream();
  gateway.openai.answer(upstream.script);
});

const begin = (run: string) =>
  client.responses.create({
    ...{ model, input: "Think.", background: true, stream: true as const, metadata: { run } },
  });
const tracesOf = async (run: string) => {
  const reply = await fetch(`${gateway.address}/v1/traces?metadata.run=${run}`, {
    headers: { "x-api-key": KEY },
  });
  return ((await reply.json()) as { readonly traces: readonly Record<string, unknown>[] }).traces;
};
const textOf = (events: readonly ResponseStreamEvent[]) =>
  events.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
const read = async (stream: AsyncIterable<ResponseStreamEvent>) => {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};

describe("A stream of a run in the background", () => {
  it("has the provider's events and numbers, and is billed and traced once", async () => {
    const events = await read(await begin("whole"));
    expect(events.map(({ sequence_number: number }) => number)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(textOf(events)).toBe(TEXT.join(""));
    expect(events[0]).toMatchObject({ type: "response.created", response: { id: upstream.id, model } });
    expect(events.at(-1)).toMatchObject({
      type: "response.completed",
      response: {
        model,
        usage: { input_tokens: 1000, prompt_tokens: 1000, total_cost_usd: expect.any(Number) },
      },
    });
    await client.responses.retrieve(upstream.id);
    await expect.poll(() => tracesOf("whole")).toHaveLength(1);
    const [trace] = await tracesOf("whole");
    expect(trace).toMatchObject({ status: "success", model, tokens_in: 1000, tokens_out: 200 });
    expect(JSON.parse(gateway.openai.requests[0]?.body ?? "")).toMatchObject({
      background: true,
      store: true,
    });
  });

  it("goes on after the client has left, from any event on, and is billed when its end is seen", async () => {
    const stream = await begin("left");
    let last = -1;
    for await (const event of stream) {
      last = event.sequence_number;
      if (event.type === "response.output_text.delta") break;
    }
    const rest = await read(
      await client.responses.retrieve(upstream.id, { stream: true, starting_after: last }),
    );
    expect(rest.map(({ sequence_number: number }) => number)).toEqual([4, 5, 6]);
    expect(upstream.asked.at(-1)).toBe(`GET /v1/responses/${upstream.id}?stream=true&starting_after=3`);
    expect(rest.at(-1)).toMatchObject({ response: { id: upstream.id, model, provider: "openai" } });
    await expect.poll(() => tracesOf("left")).toHaveLength(1);
    expect((await tracesOf("left"))[0]).toMatchObject({ status: "success", tokens_out: 200 });
  });

  it("that breaks off says how to go on, and the run has not failed", async () => {
    upstream.breaksAfter = 4;
    const events: ResponseStreamEvent[] = [];
    const broken = async () => {
      for await (const event of await begin("broken")) events.push(event);
    };
    await expect(broken()).rejects.toThrow(`GET /v1/responses/${upstream.id}?stream=true&starting_after=3`);
    expect(events.map(({ type }) => type)).not.toContain("response.failed");
    expect(await tracesOf("broken")).toEqual([]);
    expect(await client.responses.retrieve(upstream.id)).toMatchObject({ status: "completed" });
    await expect.poll(() => tracesOf("broken")).toHaveLength(1);
  });

  it("whose run fails passes that on, and is traced as an error", async () => {
    upstream.fails = true;
    expect((await read(await begin("failed"))).at(-1)).toMatchObject({
      type: "response.failed",
      response: { id: upstream.id, error: { message: "It broke." } },
    });
    await expect.poll(() => tracesOf("failed")).toHaveLength(1);
    expect((await tracesOf("failed"))[0]).toMatchObject({ status: "error" });
  });

  it("is another key's to nobody", async () => {
    await read(await begin("mine"));
    const made = await fetch(`${gateway.address}/admin/keys`, {
      method: "POST",
      headers: { "x-api-key": KEY, "content-type": "application/json" },
      body: JSON.stringify({ name: "another", scopes: ["inference"] }),
    });
    const { key } = (await made.json()) as { readonly key: string };
    const others = new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey: key, maxRetries: 0 });
    await expect(others.responses.retrieve(upstream.id, { stream: true })).rejects.toMatchObject({
      status: 404,
    });
  });
});
