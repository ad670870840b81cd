import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedModels, openModels } from "../../src/compose/open-models.js";
import { settingsSchema } from "../../src/gateway/settings.js";
import type { Question } from "../../src/workbench/asking/question.js";
import {
  CHAT_ONLY,
  type Exchange,
  jsonReply,
  reply,
  type Script,
  UpstreamServer,
} from "../fakes/upstream-server.js";

let server: UpstreamServer;
let models: OpenedModels;
beforeEach(async () => {
  server = await UpstreamServer.start(CHAT_ONLY);
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 10 };
  const provider = (id: string) => ({
    id,
    type: "openai-compatible",
    base_url: `${server.origin}/${id}`,
    models: [{ id: "gpt-4o-mini", price }, { id: "o4-mini", price }, { id: "unpriced" }],
  });
  models = openModels(settingsSchema.parse({ providers: [provider("one"), provider("two")] }), {
    environment: {},
    openRouter: () => Promise.reject(new Error("there are no profiles here")),
  });
});
afterEach(async () => {
  await models.close();
  await server.close();
});

const question = (model = "gpt-4o-mini"): Question => ({
  model,
  messages: [{ role: "user", content: "Hello" }],
  parameters: { temperature: 0, max_tokens: 50 },
});

const ask = (model?: string) =>
  models.ask(question(model), { idempotencyKey: "once-1", signal: new AbortController().signal });

const completion = (message: object, finish_reason = "stop") => ({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason }],
  usage: { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300 },
});

describe("Models of the settings", () => {
  it("answer with text, tokens, cost and time", async () => {
    server.answer(jsonReply(completion({ content: "Hi", reasoning_content: "They greet." }, "length")));
    const { latencyMs, ...answer } = await ask();
    expect(answer).toEqual({
      provider: "one",
      text: "Hi",
      finishReason: "length",
      tokensIn: 100,
      tokensOut: 200,
      costUsd: 0.0021,
      isEstimated: false,
    });
    expect(latencyMs).toBeGreaterThan(0);
    const { headers, body } = server.lastRequest;
    expect(headers["idempotency-key"]).toBe("once-1");
    expect(JSON.parse(body)).toMatchObject({ model: "gpt-4o-mini", temperature: 0 });
  });

  it("are not sent a temperature that they refuse", async () => {
    server.answer(jsonReply(completion({ content: "Hi" })));
    await ask("o4-mini");
    expect(JSON.parse(server.lastRequest.body)).not.toHaveProperty("temperature");
  });

  it("are asked at one provider and once, whatever it replies", async () => {
    server.answer(reply({ status: 500 }));
    // However often: no circuit opens.
    for (let call = 0; call < 30; call++) await expect(ask()).rejects.toMatchObject({ name: "CallFault" });
    expect(server.requests.map(({ path }) => path)).toEqual(Array(30).fill("/one/chat/completions"));
    const [model, provider] = ["gpt-4o-mini", "one"];
    expect(models.modelToAsk(model)).toEqual({ model, provider, isPriced: true });
    expect(models.modelToAsk("two/gpt-4o-mini").provider).toBe("two");
  });

  const failing = (status: number, error: object = {}, headers = {}): Script =>
    jsonReply({ error: { message: "no", ...error } }, { status, headers });
  it.each<[string, Script, object]>([
    [
      "asks for fewer requests",
      failing(429, {}, { "retry-after": "600" }),
      { kind: "busy", code: "rate_limited", status: 429, retryAfterMs: expect.closeTo(600_000, -5) },
    ],
    ["is overloaded", failing(503), { kind: "busy", code: "overloaded" }],
    ["fails", failing(500), { kind: "passing", code: "server_error", status: 500 }],
    ["breaks off", ({ reset }) => reset(), { kind: "passing", code: "connection_error", status: null }],
    ["refuses the key", failing(401), { kind: "provider", code: "credentials_refused" }],
    ["has no quota left", failing(429, { code: "insufficient_quota" }), { kind: "provider" }],
    ["refuses the content", failing(400, { code: "content_filter" }), { kind: "question", status: 400 }],
    ["refuses the request", failing(422), { kind: "question", code: "upstream_rejected", status: 422 }],
  ])("say what it means that a provider %s", async (_, script, fault) => {
    server.answer(script);
    await expect(ask()).rejects.toMatchObject({ name: "CallFault", ...fault });
  });

  it("are asked at once in a pause that their provider asked for, however many questions there are", async () => {
    server.answer(reply({ status: 429, headers: { "retry-after": "600" } }));
    await expect(ask()).rejects.toMatchObject({ kind: "busy" });
    const arrived: Exchange[] = [];
    const everyone = new Promise<void>((resolve) => {
      server.answer((exchange) => {
        if (arrived.push(exchange) === 20) resolve();
      });
    });
    const asked = Promise.all(Array.from({ length: 20 }, () => ask()));
    await Promise.race([everyone, asked]);
    const answer = jsonReply(completion({ content: "Hi" }));
    for (const exchange of arrived) void answer(exchange);
    expect((await asked).map(({ text }) => text)).toEqual(Array(20).fill("Hi"));
  });

  it("have costs and counted prompts", async () => {
    expect(models.costUsd("gpt-4o-mini", { promptTokens: 1000, answerTokens: 100 })).toBe(0.002);
    expect(models.costUsd("unpriced", { promptTokens: 1000, answerTokens: 100 })).toBeNull();
    expect(await models.countPromptTokens(question())).toBe(5);
  });

  it("are refused when nobody serves them", () => {
    expect(() => models.modelToAsk("gpt-4o-mimi")).toThrow("which the catalog does not know");
    expect(() => models.modelToAsk("claude-haiku-4-5")).toThrow("ANTHROPIC_API_KEY");
  });

  it("have no expected lengths where profiles cannot be loaded", async () => {
    expect(models.hiddenTokens("gpt-4o-mini")).toBe(0);
    expect(models.hiddenTokens("o4-mini:high")).toBeGreaterThan(models.hiddenTokens("o4-mini"));
    expect(models.hiddenTokens("o4-mini")).toBeGreaterThan(500);
    expect(await models.expectedAnswerTokens(["gpt-4o-mini"], [question().messages])).toEqual(new Map());
  });
});
