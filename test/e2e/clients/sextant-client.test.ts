/** The client library against the gateway as a process, over real sockets to upstreams that answer as told. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { RateLimitError, Sextant, triedModels, UpstreamError } from "../../../src/client/index.js";
import {
  CHAT_ONLY,
  eventReply,
  jsonReply,
  type Script,
  UpstreamServer,
} from "../../fakes/upstream-server.js";
import { type BrokenRule, refusalsOf } from "../../fakes/vendors/vendor-server.js";
import { newFolder, removeFolder, type ServerProcess, startServe } from "../server-process.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const folder = newFolder();
/** OpenAI's rules that calls broke. */
const broken: BrokenRule[] = [];
let upstream: UpstreamServer;
let server: ServerProcess;
let client: Sextant;

const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };

beforeAll(async () => {
  upstream = await UpstreamServer.start({ ...CHAT_ONLY, refuses: refusalsOf("openai", broken) });
  // gpt-4o is broken upstream, every other model answers with its own name.
  upstream.answer((exchange) => {
    const { model, stream } = JSON.parse(exchange.request.body) as { model: string; stream?: boolean };
    if (/^gpt-4o(-2024.*)?$/.test(model))
      return jsonReply({ error: { message: "down" } }, { status: 500 })(exchange);
    const message = { role: "assistant", content: `I am ${model}` };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    if (stream !== true)
      return jsonReply({ id: "x", object: "chat.completion", model, choices, usage })(exchange);
    return streamed(model)(exchange);
  });
  server = await startServe(folder, {
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    OPENAI_API_KEY: "sk-of-this-test",
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
  });
  client = new Sextant({ apiKey: KEY, baseURL: `${server.address}/v1`, maxRetries: 0 });
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await upstream.close();
  removeFolder(folder);
  expect(broken).toEqual([]);
});

function streamed(model: string): Script {
  const part = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "x", model, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const pieces = [
    part({ role: "assistant" }),
    part({ content: "I am " }),
    part({ content: model }),
    part({}, "stop"),
  ];
  const last = `data: ${JSON.stringify({ id: "x", choices: [], usage })}\n\n`;
  return eventReply([...pieces, last, "data: [DONE]\n\n"]);
}

const messages = [{ role: "user" as const, content: "Say who you are, please." }];

describe("The client library against a gateway", () => {
  it("gets an answer with text and costs", async () => {
    const completion = await client.chat.completions.create({ model: "gpt-4o-mini", messages });
    expect(completion.choices[0]?.message.content).toMatch(/^I am gpt-4o-mini/);
    expect(completion.usage).toMatchObject({ ...usage, total_cost_usd: 0.00027 });
    expect(completion.provider).toBe("openai");
  });

  it.each([false, true])("uses the fallback when a model is down (streamed: %s)", async (stream) => {
    const body = { model: "gpt-4o", messages, fallbacks: ["gpt-4o-mini"] };
    if (!stream) {
      const { choices } = await client.chat.completions.create(body);
      expect(choices[0]?.message.content).toMatch(/^I am gpt-4o-mini/);
      return;
    }
    let text = "";
    let cost: number | null | undefined;
    for await (const part of await client.chat.completions.create({ ...body, stream })) {
      text += part.choices[0]?.delta.content ?? "";
      cost = part.usage?.total_cost_usd ?? cost;
    }
    expect(text).toMatch(/^I am gpt-4o-mini/);
    expect(cost).toBe(0.00027);
  });

  it("throws the attempts of the gateway when all models are down", async () => {
    const error = await client.chat.completions
      .create({ model: "gpt-4o", messages, fallbacks: ["gpt-4o-2024-11-20"] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UpstreamError);
    expect((error as UpstreamError).attempts).toMatchObject([{ provider: "openai", status: 500 }]);
    expect(triedModels(error)).toMatchObject([{ model: "gpt-4o", status: 502 }, { status: 502 }]);
  });

  it("gets a decision with its reason", async () => {
    const { routing } = await client.router.create({ messages, execute: false, cost_weight: 0.5 });
    expect(routing.reason).not.toBe("");
    expect(routing.candidates[0]?.model).toBe(routing.selected_model);
  });

  it("routes and answers, with the decision first in a stream", async () => {
    const stream = await client.router.create({ messages, cost_weight: 1, stream: true });
    let chosen: string | undefined;
    let text = "";
    for await (const part of stream) {
      chosen ??= part.routing?.selected_model;
      text += part.choices[0]?.delta.content ?? "";
    }
    expect(chosen).toBeDefined();
    expect(text).toMatch(/^I am /);
  });

  it("lists profiles, providers and models", async () => {
    const profiles = await client.router.profiles();
    expect(profiles.count).toBe(profiles.data.length);
    const { data } = await client.providers.list({ model: "gpt-4o-mini" });
    expect(data.find(({ id }) => id === "openai")).toMatchObject({ enabled: true });
    expect((await client.models.list()).data.map(({ id }) => id)).toContain("auto");
  });

  it("finds the traces of its own requests, page by page", async () => {
    const metadata = { suite: "client", number: 7 };
    const sent = await Promise.all(
      Array.from({ length: 5 }, () =>
        client.chat.completions.create({ model: "gpt-4o-mini", messages, metadata }),
      ),
    );
    const ids = new Set(sent.map(({ request_id }) => request_id));
    const found = new Set<string>();
    await expect
      .poll(async () => {
        for await (const { request_id } of client.traces.list({ metadata, limit: 2 })) found.add(request_id);
        return found;
      })
      .toEqual(ids);
    const trace = await client.traces.retrieve(sent[0]?.request_id ?? "");
    expect(trace).toMatchObject({ metadata, kind: "chat", status: "success", usage });
  });

  it("reports the wait when a limit is reached", async () => {
    const admin = { headers: { "x-api-key": KEY, "content-type": "application/json" } };
    const created = await fetch(`${server.address}/admin/keys`, {
      ...admin,
      method: "POST",
      body: JSON.stringify({ name: "slow", scopes: ["inference"], limits: { requests_per_minute: 1 } }),
    });
    const { key } = (await created.json()) as { key: string };
    expect(created.status).toBe(201);
    const slow = client.withOptions({ apiKey: key });
    const ask = () => slow.chat.completions.create({ model: "gpt-4o-mini", messages });
    await ask();
    const error = await ask().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitError);
    expect((error as RateLimitError).retry_after).toBeGreaterThan(0);
  });
});
