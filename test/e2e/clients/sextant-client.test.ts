/** The client library against the whole gateway, over real sockets to upstreams that answer as told. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Sextant, triedModels, UpstreamError } from "../../../src/client/index.js";
import { reply } from "../../fakes/upstream-server.js";
import { KEY } from "../../gateway/server.js";
import { chatReply, chatStream, USAGE } from "../replies.js";
import { type Gateway, startGateway } from "./gateway.js";

let gateway: Gateway;
let client: Sextant;
beforeAll(async () => {
  gateway = await startGateway();
  // gpt-4o is broken upstream, every other model answers with its own name.
  gateway.openai.answer((exchange) => {
    const { model, stream } = JSON.parse(exchange.request.body);
    if (/^gpt-4o(-2024.*)?$/.test(model)) return reply({ status: 500 })(exchange);
    const said = stream
      ? chatStream([{ role: "assistant" }, { content: "I am " }, { content: model }])
      : chatReply({ content: `I am ${model}` });
    return said(exchange);
  });
  client = new Sextant({ apiKey: KEY, baseURL: `${gateway.address}/v1`, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const messages = [{ role: "user" as const, content: "Say who you are, please." }];

describe("The client library against a gateway", () => {
  it("gets an answer with text and costs", async () => {
    const completion = await client.chat.completions.create({ model: "gpt-4o-mini", messages });
    expect(completion.choices[0]?.message.content).toMatch(/^I am gpt-4o-mini/);
    expect(completion.usage).toMatchObject({ ...USAGE, total_cost_usd: 0.00027 });
    expect(completion.provider).toBe("openai");
  });

  it("throws the attempts of the gateway when all models are down", async () => {
    const error = await client.chat.completions
      .create({ model: "gpt-4o", messages, fallbacks: ["gpt-4o-2024-11-20"] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect((error as UpstreamError).attempts).toMatchObject([{ provider: "openai", status: 500 }]);
    expect(triedModels(error)).toMatchObject([{ model: "gpt-4o", status: 502 }, { status: 502 }]);
  });

  it("decides, and answers with the decision first in a stream", async () => {
    const models = ["gpt-4o-mini", "gpt-4.1-nano"];
    const { routing } = await client.router.create({ messages, models, execute: false, cost_weight: 1 });
    expect(routing.candidates[0]?.model).toBe(routing.selected_model);
    const stream = await client.router.create({ messages, models, cost_weight: 1, stream: true });
    let chosen: string | undefined;
    let text = "";
    for await (const part of stream) {
      chosen ??= part.routing?.selected_model;
      text += part.choices[0]?.delta.content ?? "";
    }
    expect(chosen).toBe(routing.selected_model);
    expect(text).toMatch(/^I am /);
  });

  it("finds the traces of its own requests, page by page", async () => {
    const metadata = { suite: "client", number: 7 };
    const ask = () => client.chat.completions.create({ model: "gpt-4o-mini", messages, metadata });
    const sent = await Promise.all([ask(), ask(), ask(), ask(), ask()]);
    const ids = new Set(sent.map(({ request_id }) => request_id));
    const found = new Set<string>();
    await expect
      .poll(async () => {
        for await (const { request_id } of client.traces.list({ metadata, limit: 2 })) found.add(request_id);
        return found;
      })
      .toEqual(ids);
    const trace = await client.traces.retrieve(sent[0]?.request_id ?? "");
    expect(trace).toMatchObject({ metadata, kind: "chat", status: "success", usage: USAGE });
  });
});
