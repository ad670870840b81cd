/** Responses that OpenAI keeps, by OpenAI's own client: whose they are, and what reaches them. */
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";
import { KEY } from "../../gateway/server.js";
import { type Gateway, startGateway } from "./gateway.js";

const model = "gpt-5.6-luna";
let gateway: Gateway;
let upstream: FakeVendor;
const open = (apiKey: string) =>
  new OpenAI({ baseURL: `${gateway.address}/v1`, apiKey, maxRetries: 0 }).responses;

beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.stop());
beforeEach(() => {
  upstream = new FakeVendor("openai");
  gateway.openai.answer(upstream.script);
});

it("A response that the request asks to keep is continued, read, listed and deleted at the provider that keeps it", async () => {
  const responses = open(KEY);
  const metadata = { team: "a" };
  const first = await responses.create({ model, input: "Hi", store: true, metadata });
  expect(first).toMatchObject({ store: true, metadata });
  expect(upstream.asked[0]).toMatchObject({ store: true, metadata });
  const second = await responses.create({ model, input: "And?", previous_response_id: first.id });
  expect([second.output_text, upstream.asked[1]?.previous_response_id]).toEqual(["It is 3 °C.", first.id]);
  expect(await responses.retrieve(first.id)).toMatchObject({ id: first.id, model, metadata });
  expect((await responses.inputItems.list(first.id)).data).toEqual([{ content: "Hi" }]);
  await responses.delete(first.id);
  expect(upstream.kept.has(first.id)).toBe(false);
  await expect(responses.retrieve(first.id)).rejects.toMatchObject({ status: 404, code: "not_found" });

  let streamedId = "";
  for await (const event of await responses.create({ model, input: "Hi", store: true, stream: true }))
    if (event.type === "response.completed") streamedId = event.response.id;
  expect(await responses.retrieve(streamedId)).toMatchObject({ id: streamedId, status: "completed" });
});

it("A response of a model that is named with an effort is kept, and the model is asked for that effort", async () => {
  await open(KEY).create({ model: `${model}:low`, input: "Hi", store: true });
  expect(upstream.asked[0]).toMatchObject({ model, store: true, reasoning: { effort: "low" } });
});

it("A kept response is another key's to nobody", async () => {
  const { id } = await open(KEY).create({ model, input: "Hi", store: true });
  const made = await gateway.call("/admin/keys", { body: { name: "another", scopes: ["inference"] } });
  const others = open(made.json().key);
  await expect(others.retrieve(id)).rejects.toMatchObject({ status: 404 });
  await expect(others.delete(id)).rejects.toMatchObject({ status: 404 });
  const continued = others.create({ model, input: "And?", previous_response_id: id });
  await expect(continued).rejects.toMatchObject({ status: 400, param: "previous_response_id" });
  expect(upstream.kept.has(id)).toBe(true);
});

it("A response that is kept nowhere cannot be continued or read, and the error says how one is kept", async () => {
  const responses = open(KEY);
  const { id, ...made } = await responses.create({ model, input: "Hi" });
  expect(made).toMatchObject({ store: false });
  const continued = responses.create({ model, input: "And?", previous_response_id: id });
  await expect(continued).rejects.toThrow("`store: true`");
  await expect(responses.retrieve(id)).rejects.toThrow("`store: true`");
  const elsewhere = responses.create({ model: "gemini-2.5-flash", input: "Hi", background: true });
  await expect(elsewhere).rejects.toMatchObject({ status: 400, param: "background" });
});

it("A run in the background is passed through, traced when it is begun, and can be cancelled", async () => {
  const responses = open(KEY);
  const tracesOfRun = async () => (await gateway.call("/v1/traces?metadata.run=one")).json().traces;
  const metadata = { run: "one" };
  const begun = await responses.create({ model, input: "Think.", background: true, metadata });
  expect([begun.status, begun.usage]).toEqual(["queued", null]);
  expect(upstream.asked[0]?.store).toBe(true);
  await expect.poll(tracesOfRun).toMatchObject([{ status: "success", model, tokens_out: 512 }]);
  for (let asked = 0; asked < 2; asked++)
    expect(await responses.retrieve(begun.id)).toMatchObject({ status: "completed" });
  expect(await tracesOfRun()).toHaveLength(1);
  const { id } = await responses.create({ model, input: "Think.", background: true });
  expect(await responses.cancel(id)).toMatchObject({ id, status: "cancelled" });
});
