/** Responses that OpenAI keeps, by OpenAI's own client: whose they are, what reaches them, and what a run in the background costs. */
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { type Gateway, KEY, startGateway } from "./gateway.js";

let gateway: Gateway;
let upstream: FakeVendor;
let client: OpenAI;
let others: OpenAI;
beforeAll(async () => {
  gateway = await startGateway({});
  const made = await fetch(`${gateway.address}/admin/keys`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json" },
    body: JSON.stringify({ name: "another", scopes: ["inference"] }),
  });
  const { key } = (await made.json()) as { readonly key: string };
  const open = (apiKey: string) => new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey, maxRetries: 0 });
  client = open(KEY);
  others = open(key);
});
afterAll(() => gateway.stop());
beforeEach(() => {
  upstream = new FakeVendor("openai");
  gateway.openai.answer(upstream.script);
});

const model = "gpt-5.6-luna";
const tracesOf = async (query: string) => {
  const reply = await fetch(`${gateway.address}/v1/traces?${query}`, { headers: { "x-api-key": KEY } });
  return ((await reply.json()) as { readonly traces: readonly Record<string, unknown>[] }).traces;
};

describe("A response that the request asks to keep", () => {
  it("is continued, read, listed and deleted at the provider that keeps it", async () => {
    const metadata = { team: "a" };
    const first = await client.responses.create({ model, input: "Hi", store: true, metadata });
    expect(first).toMatchObject({ store: true, metadata });
    expect(upstream.asked[0]?.store).toBe(true);
    expect(upstream.asked[0]?.metadata).toEqual(metadata);

    const second = await client.responses.create({ model, input: "And?", previous_response_id: first.id });
    expect([second.output_text, upstream.asked[1]?.previous_response_id]).toEqual(["It is 3 °C.", first.id]);

    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, model, metadata });
    expect((await client.responses.inputItems.list(first.id)).data).toEqual([{ content: "Hi" }]);
    await client.responses.delete(first.id);
    expect(upstream.kept.has(first.id)).toBe(false);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({
      status: 404,
      code: "not_found",
    });
  });

  it("is kept when it is streamed, too", async () => {
    const stream = await client.responses.create({ model, input: "Hi", store: true, stream: true });
    let id = "";
    for await (const event of stream) if (event.type === "response.completed") id = event.response.id;
    expect(await client.responses.retrieve(id)).toMatchObject({ id, status: "completed" });
  });

  it("is another key's to nobody", async () => {
    const { id } = await client.responses.create({ model, input: "Hi", store: true });
    await expect(others.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
    await expect(others.responses.delete(id)).rejects.toMatchObject({ status: 404 });
    await expect(
      others.responses.create({ model, input: "And?", previous_response_id: id }),
    ).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
    expect(upstream.kept.has(id)).toBe(true);
  });
});

describe("A response that is kept nowhere", () => {
  it("cannot be continued or read, and the error says how one is kept", async () => {
    const made = await client.responses.create({ model, input: "Hi" });
    const { id } = made;
    expect(made).toMatchObject({ store: false });
    await expect(client.responses.create({ model, input: "And?", previous_response_id: id })).rejects.toThrow(
      "`store: true`",
    );
    await expect(client.responses.retrieve(id)).rejects.toThrow("`store: true`");
  });

  it("cannot be asked of a model whose provider keeps none", async () => {
    await expect(
      client.responses.create({ model: "gemini-2.5-flash", input: "Hi", background: true }),
    ).rejects.toMatchObject({ status: 400, param: "background" });
  });
});

describe("A run in the background", () => {
  it("is billed and traced once, when its end is seen", async () => {
    const metadata = { run: "one" };
    const begun = await client.responses.create({ model, input: "Think.", background: true, metadata });
    expect([begun.status, begun.usage]).toEqual(["queued", null]);
    expect(upstream.asked[0]?.store).toBe(true);
    expect(await tracesOf("metadata.run=one")).toEqual([]);

    for (let asked = 0; asked < 2; asked++)
      expect(await client.responses.retrieve(begun.id)).toMatchObject({ status: "completed" });
    await expect.poll(() => tracesOf("metadata.run=one")).toHaveLength(1);
    const [trace] = await tracesOf("metadata.run=one");
    expect(trace).toMatchObject({ status: "success", model, tokens_in: 1000, tokens_out: 200 });
    expect(trace?.cost_usd).toBeGreaterThan(0);
  });

  it("can be cancelled", async () => {
    const { id } = await client.responses.create({ model, input: "Think.", background: true });
    expect(await client.responses.cancel(id)).toMatchObject({ id, status: "cancelled" });
  });
});
