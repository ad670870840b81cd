/** The whole server over real sockets: official client → gateway → upstreams that answer as told. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { createLogger } from "../../src/gateway/server/http/logger.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, eventReply, jsonReply, reply, UpstreamServer } from "../fakes/upstream-server.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const OPENAI_SECRET = "sk-openai-secret-of-this-test";
const ANTHROPIC_SECRET = "sk-ant-secret-of-this-test";
const MARKER = "MARKERwhichMustNotLeak";
const folder = mkdtempSync(join(tmpdir(), "sextant-gateway-"));

let openai: UpstreamServer;
let anthropic: UpstreamServer;
let server: ComposedServer;
let address: string;
let client: OpenAI;
const logLines: string[] = [];

beforeAll(async () => {
  openai = await UpstreamServer.start(CHAT_ONLY);
  anthropic = await UpstreamServer.start(CHAT_ONLY);
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_REQUESTS_PER_MINUTE: "1000000",
    SEXTANT_RETRIES: "0",
    SEXTANT_TRACE_CONTENT: "false",
    OPENAI_API_KEY: OPENAI_SECRET,
    OPENAI_BASE_URL: `${openai.origin}/v1`,
    ANTHROPIC_API_KEY: ANTHROPIC_SECRET,
    ANTHROPIC_BASE_URL: anthropic.origin,
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = createLogger("trace", { write: (line: string) => logLines.push(line) });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
  client = new OpenAI({ baseURL: `${address}/v1`, apiKey: KEY, maxRetries: 0 });
});

afterAll(async () => {
  await server.stop();
  await Promise.all([openai.close(), anthropic.close()]);
  rmSync(folder, { recursive: true, force: true });
});

const usage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
};

/** An OpenAI completion whose one choice is the given message. */
const completion = (message: object, finish = "stop") => ({
  id: "chatcmpl-upstream",
  object: "chat.completion",
  created: 1,
  model: "gpt-4o-mini-2024-07-18",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: finish }],
  usage,
});

const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const chunk = (delta: object, finish: string | null = null) =>
  event({
    id: "chatcmpl-upstream",
    object: "chat.completion.chunk",
    created: 1,
    model: "gpt-4o-mini-2024-07-18",
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const streamed = [
  chunk({ role: "assistant", content: "" }),
  chunk({ content: "Grüß " }),
  chunk({ content: "Gott 🙂" }),
  chunk({}, "stop"),
  event({ id: "chatcmpl-upstream", object: "chat.completion.chunk", created: 1, choices: [], usage }),
  "data: [DONE]\n\n",
];

const claude = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-3-5-sonnet-20241022",
  content: [{ type: "text", text: "Bonjour." }],
  stop_reason: "end_turn",
  usage: {
    input_tokens: 100,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 200,
    output_tokens: 50,
  },
};

beforeEach(() => {
  openai.answer(jsonReply(completion({ content: "Hello." })));
  anthropic.answer(jsonReply(claude));
});

const ask = (content: string) => [{ role: "user" as const, content }];

/** What these tests read of a routed answer. */
interface Routed {
  readonly routing: {
    readonly selected_model: string;
    readonly attempts: readonly { readonly model: string; readonly code: string }[];
  };
}

/** `usage` as the gateway sends it. */
const costs = (value: unknown) => value as Record<string, number | null>;

describe("The official client against the whole server", () => {
  it("chats: the provider gets the request unchanged, with its own key in place of the client's", async () => {
    const answer = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: [{ role: "system", content: "Be brief." }, ...ask("Hi")],
      temperature: 0.1,
      seed: 7,
      user: "u1",
      logit_bias: { "50256": -100 },
    });
    const { path, headers, body } = openai.lastRequest;
    expect(path).toBe("/v1/chat/completions");
    expect(headers.authorization).toBe(`Bearer ${OPENAI_SECRET}`);
    expect(JSON.stringify(headers) + body).not.toContain(KEY);
    expect(JSON.parse(body)).toEqual({
      model: "gpt-4o-mini",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi" },
      ],
      temperature: 0.1,
      seed: 7,
      user: "u1",
      logit_bias: { "50256": -100 },
    });
    expect(answer.choices[0]?.message.content).toBe("Hello.");
    expect(answer.id).toMatch(/^chatcmpl-[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(answer).toMatchObject({ object: "chat.completion", model: "gpt-4o-mini", provider: "openai" });
  });

  it("reports the exact cost: 600 fresh tokens at $.15, 400 cached at $.075, 200 out at $.60 a million", async () => {
    const answer = await client.chat.completions.create({ model: "gpt-4o-mini", messages: ask("Hi") });
    expect(answer.usage).toMatchObject({ prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 });
    // 600 × .15 = 90, 400 × .075 = 30, 200 × .60 = 120 millionths: 240 in all.
    expect(costs(answer.usage)).toMatchObject({
      input_cost_usd: 0.00009,
      cache_input_cost_usd: 0.00003,
      output_cost_usd: 0.00012,
      total_cost_usd: 0.00024,
    });
  });

  it("streams every chunk, then the usage, which the gateway requests by itself", async () => {
    openai.answer(eventReply(streamed));
    const stream = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask("Hi"),
      stream: true,
    });
    let text = "";
    let total: unknown;
    for await (const part of stream) {
      text += part.choices[0]?.delta.content ?? "";
      total = part.usage ?? total;
    }
    expect(text).toBe("Grüß Gott 🙂");
    expect(costs(total)).toMatchObject({ prompt_tokens: 1000, total_cost_usd: 0.00024 });
    expect(JSON.parse(openai.lastRequest.body).stream_options).toEqual({ include_usage: true });
  });

  it("calls tools and sends their results", async () => {
    const call = {
      id: "call_1",
      type: "function",
      function: { name: "weather", arguments: '{"city":"Wien"}' },
    };
    openai.answer(jsonReply(completion({ content: null, tool_calls: [call] }, "tool_calls")));
    const tools = [
      {
        type: "function" as const,
        function: { name: "weather", parameters: { type: "object", properties: {} } },
      },
    ];
    const asked = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask("Weather?"),
      tools,
    });
    expect(asked.choices[0]?.message.tool_calls).toEqual([call]);
    openai.answer(jsonReply(completion({ content: "Sunny." })));
    const message = asked.choices[0]?.message;
    if (message === undefined) throw new Error("no message came");
    const told = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: [...ask("Weather?"), message, { role: "tool", tool_call_id: "call_1", content: "sunny" }],
      tools,
    });
    expect(told.choices[0]?.message.content).toBe("Sunny.");
    expect(JSON.parse(openai.lastRequest.body).messages[1].tool_calls).toEqual([call]);
  });

  it("requests JSON", async () => {
    openai.answer(jsonReply(completion({ content: '{"n":4}' })));
    const answer = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask("2+2 as JSON"),
      response_format: { type: "json_object" },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toEqual({ n: 4 });
    expect(JSON.parse(openai.lastRequest.body).response_format).toEqual({ type: "json_object" });
  });

  it("sends several prompts, echo and log probabilities to a model with the completions API", async () => {
    const choices = ["One", "Two"].map((text, index) => ({
      text,
      index,
      logprobs: null,
      finish_reason: "stop",
    }));
    const usage = { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 };
    openai.answer(jsonReply({ object: "text_completion", choices, usage }));
    const prompt = ["One", "Two"];
    const answer = await client.completions.create({
      model: "gpt-3.5-turbo-instruct",
      prompt,
      echo: true,
      logprobs: 0,
      max_tokens: 1,
    });
    expect(answer.choices.map(({ text }) => text)).toEqual(["One", "Two"]);
    expect(openai.lastRequest.path).toBe("/v1/completions");
    expect(JSON.parse(openai.lastRequest.body)).toMatchObject({
      prompt,
      echo: true,
      logprobs: 0,
      max_tokens: 1,
    });
    const refused = await client.completions
      .create({ model: "gpt-4o-mini", prompt: "One", echo: true })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 400, param: "echo" });
  });

  it("completes a text on a model that only chats, whole and streamed", async () => {
    const whole = await client.completions.create({ model: "gpt-4o-mini", prompt: "Say hello" });
    expect(whole).toMatchObject({
      object: "text_completion",
      choices: [{ text: "Hello.", finish_reason: "stop" }],
    });
    expect(JSON.parse(openai.lastRequest.body)).toMatchObject({
      messages: ask("Say hello"),
      max_tokens: 1024,
    });
    openai.answer(eventReply(streamed));
    let text = "";
    const stream = await client.completions.create({
      model: "gpt-4o-mini",
      prompt: "Say hello",
      stream: true,
    });
    for await (const part of stream) text += part.choices[0]?.text ?? "";
    expect(text).toBe("Grüß Gott 🙂");
  });

  it("calls Claude in Anthropic's dialect and charges cached tokens at Anthropic's rates", async () => {
    const answer = await client.chat.completions.create({
      model: "claude-3-5-sonnet-20241022",
      messages: [{ role: "system", content: "En français." }, ...ask("Hi")],
      max_tokens: 60,
    });
    const { path, headers, body } = anthropic.lastRequest;
    expect([path, headers["x-api-key"]]).toEqual(["/v1/messages", ANTHROPIC_SECRET]);
    expect(JSON.parse(body)).toMatchObject({
      system: [{ type: "text", text: "En français." }],
      max_tokens: 60,
      messages: [{ role: "user" }],
    });
    expect(answer.choices[0]?.message.content).toBe("Bonjour.");
    // $3 fresh, $.30 read, $3.75 written, $15 out: 300 + 300 + 750 + 750 millionths.
    expect(costs(answer.usage)).toMatchObject({
      prompt_tokens: 1300,
      completion_tokens: 50,
      input_cost_usd: 0.0003,
      cache_input_cost_usd: 0.00105,
      output_cost_usd: 0.00075,
      total_cost_usd: 0.0021,
    });
  });

  it("falls back to the next model when a provider fails, and reports the attempts", async () => {
    openai.answer(reply({ status: 503, body: "<html>busy</html>" }));
    const request = { model: "gpt-4o-mini", messages: ask("Hi"), fallbacks: ["claude-3-5-sonnet-20241022"] };
    const answer = await client.chat.completions.create(request);
    expect(answer).toMatchObject({ model: "claude-3-5-sonnet-20241022", provider: "anthropic" });
  });

  it("routes, runs the best model, and falls back to the next ranked one when it fails", async () => {
    const models = ["gpt-4o-mini", "claude-3-5-sonnet-20241022"];
    const post = async (body: object) => {
      const headers = { "x-api-key": KEY, "content-type": "application/json" };
      const answer = await fetch(`${address}/v1/router`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return { headers: answer.headers, body: (await answer.json()) as Routed };
    };
    const decided = await post({ messages: ask("Prove it."), models, execute: false });
    const best: string = decided.body.routing.selected_model;
    const run = await post({ messages: ask("Prove it."), models });
    expect(run.body).toMatchObject({
      object: "chat.completion",
      model: best,
      routing: { selected_model: best },
    });
    expect(run.headers.get("x-routing-model")).toBe(best);
    const [failing, other] = best === "gpt-4o-mini" ? [openai, models[1]] : [anthropic, models[0]];
    failing.answer(reply({ status: 500, body: "" }));
    const fallen = await post({ messages: ask("Prove it."), models });
    expect(fallen.body).toMatchObject({ model: other, routing: { selected_model: best } });
    expect(fallen.body.routing.attempts.map(({ model, code }) => [model, code])).toEqual([
      [best, "server_error"],
      [other, "ok"],
    ]);
    expect(fallen.headers.get("x-routing-model")).toBe(other);
  });

  it("runs `auto` among all models that have a provider", async () => {
    const { data, response } = await client.chat.completions
      .create({ model: "auto", messages: ask("What is 2 + 2?"), router: { cost_weight: 1 } } as never)
      .withResponse();
    expect(response.headers.get("x-routing-provider")).toMatch(/^(openai|anthropic)$/);
    expect(data).toMatchObject({ provider: response.headers.get("x-routing-provider") });
  });

  it("closes the upstream connection when the client aborts a stream", async () => {
    let closed: Promise<void> | undefined;
    openai.answer(async (exchange) => {
      closed = exchange.closed;
      await eventReply(streamed.slice(0, 2), { ending: "stall" })(exchange);
    });
    const stream = await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask("Hi"),
      stream: true,
    });
    for await (const part of stream) if (part.choices[0]?.delta.content) break;
    expect(closed).toBeDefined();
    // A connection that stays open ends this test by its time limit.
    await closed;
  });
});

describe("Errors of the whole server", () => {
  it("are typed errors in the SDK: a refused request, an unknown model, a broken provider", async () => {
    openai.answer(
      jsonReply(
        { error: { message: `no ${MARKER} for ${OPENAI_SECRET}`, code: "bad_thing", param: "seed" } },
        { status: 400 },
      ),
    );
    const refused = await client.chat.completions
      .create({ model: "gpt-4o-mini", messages: ask(MARKER) })
      .catch((e) => e);
    expect(refused).toBeInstanceOf(OpenAI.BadRequestError);
    expect(refused).toMatchObject({ code: "upstream_rejected", param: "seed" });
    expect(refused.message).toContain(`no ${MARKER} for [key]`);
    const unknown = await client.chat.completions
      .create({ model: "gpt-5o-mini", messages: ask("Hi") })
      .catch((e) => e);
    expect(unknown).toBeInstanceOf(OpenAI.NotFoundError);
    openai.answer(reply({ status: 500, body: `${MARKER} ${OPENAI_SECRET}` }));
    const broken = await client.chat.completions
      .create({ model: "gpt-4o-mini", messages: ask("Hi") })
      .catch((e) => e);
    expect(broken).toBeInstanceOf(OpenAI.InternalServerError);
    expect(broken).toMatchObject({ status: 502, code: "upstream_error" });
    for (const { message } of [unknown, broken]) expect(message).not.toMatch(new RegExp(`${MARKER}|secret`));
    expect(refused.message).not.toContain(OPENAI_SECRET);
  });

  it("distinguish refused provider credentials from a refused API key", async () => {
    openai.answer(jsonReply({ error: { message: `Incorrect API key: ${OPENAI_SECRET}` } }, { status: 401 }));
    const error = await client.chat.completions
      .create({ model: "gpt-4o-mini", messages: ask("Hi") })
      .catch((e) => e);
    expect([error.status, error.code]).toEqual([502, "upstream_error"]);
    expect(error.message).toContain("OPENAI_API_KEY");
    expect(error.message).not.toContain(OPENAI_SECRET);
  });

  it("never let a client choose the address of a provider", async () => {
    const before = openai.requests.length;
    const headers = {
      "x-api-key": KEY,
      "content-type": "application/json",
      "x-portkey-custom-host": openai.origin,
    };
    const body = JSON.stringify({
      model: "gpt-4o-mini",
      messages: ask("Hi"),
      base_url: "http://169.254.169.254/",
      api_base: "http://169.254.169.254/",
      provider: "http://169.254.169.254/",
    });
    const answer = await fetch(`${address}/v1/chat/completions`, { method: "POST", headers, body });
    expect(answer.status).toBe(404);
    expect(openai.requests.length).toBe(before);
  });
});

describe("Traces of the whole server", () => {
  it("contain every accepted request exactly once, with its cost and its attempts", async () => {
    const headers = { "x-api-key": KEY };
    const search = async (query: string) =>
      (await (await fetch(`${address}/v1/traces${query}`, { headers })).json()) as TraceList;
    // A request of an earlier test may be recorded late; it arrived before.
    const since = `?start_date=${new Date().toISOString()}`;
    openai.answer(reply({ status: 500, body: "" }));
    await client.chat.completions.create({
      model: "gpt-4o-mini",
      messages: ask("Hi"),
      metadata: { ticket: "T-7" },
      fallbacks: ["claude-3-5-sonnet-20241022"],
    } as never);
    await client.chat.completions.create({ model: "nothing", messages: ask("Hi") }).catch(() => {});
    const after = await recorded(() => search(since));
    expect(after.total).toBe(1);
    const [newest] = (await search("?metadata.ticket=T-7")).traces;
    expect(newest).toMatchObject({
      request_id: after.traces[0]?.request_id,
      model: "claude-3-5-sonnet-20241022",
      provider: "anthropic",
      tokens_in: 1300,
      tokens_out: 50,
      cost_usd: 0.0021,
      status: "success",
    });
    const detail = await (await fetch(`${address}/v1/traces/${newest?.request_id}`, { headers })).json();
    expect(detail).toMatchObject({
      kind: "chat",
      metadata: { ticket: "T-7" },
      attempts: [{ code: "server_error" }, { code: "ok" }],
    });
    expect(detail).not.toHaveProperty("input_text");
  });
});

/** What these tests read of a list of traces. */
interface TraceList {
  readonly total: number;
  readonly traces: readonly { readonly request_id: string }[];
}

/** The list once everything that was recorded is written: the counts of /metrics say when. */
async function recorded(search: () => Promise<TraceList>): Promise<TraceList> {
  for (;;) {
    const metrics = await (await fetch(`${address}/metrics`)).text();
    const count = (state: string) =>
      Number(metrics.match(`sextant_traces_total{state="${state}"} (\\d+)`)?.[1]);
    if (count("recorded") === count("written")) return search();
  }
}

describe("Log lines of a request", () => {
  const linesOf = (id: string | null) =>
    logLines
      .map((line) => JSON.parse(line))
      .filter(({ request_id }) => request_id === id)
      .map(({ level, msg, request_id: _, time: __, latency_ms: ___, ...fields }) => [level, msg, fields]);
  const send = (headers: Record<string, string> = {}) =>
    fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": KEY, ...headers },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: ask(MARKER) }),
    });
  const REQUEST = { method: "POST", route: "/v1/chat/completions" };
  const UPSTREAM = { provider: "openai", model: "gpt-4o-mini" };

  it("name it in all that happens on its way: calls, circuits, its end", async () => {
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 500 }));
    let response = await send();
    const failed = { status: 502, code: "upstream_error" };
    const call = { ...UPSTREAM, status: 500, code: "server_error" };
    const end = ["debug", "request", { ...REQUEST, ...failed, principal: "key_bootstrap" }];
    await expect.poll(() => linesOf(response.headers.get("x-request-id")).at(-1)).toEqual(end);
    expect(linesOf(response.headers.get("x-request-id"))).toEqual([
      ["info", "upstream call failed", call],
      ["info", "request failed", failed],
      end,
    ]);
    const opened = () =>
      linesOf(response.headers.get("x-request-id")).find(([, text]) => text === "circuit opened");
    while (opened() === undefined) response = await send();
    expect(opened()?.[0]).toBe("warn");
  });

  it("tell refused ones by their code alone", async () => {
    const response = await send({ "x-api-key": "pk_live_wrong" });
    const refused = { status: 401, code: "invalid_api_key" };
    const end = ["debug", "request", { ...REQUEST, ...refused, principal: null }];
    await expect
      .poll(() => linesOf(response.headers.get("x-request-id")))
      .toEqual([["debug", "request refused", refused], end]);
  });
});

describe("Secrets and prompts", () => {
  it("never appear in a log line, a metric or a file", async () => {
    const metrics = await (await fetch(`${address}/metrics`)).text();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
    expect(logLines.length).toBeGreaterThan(0);
    expect(metrics).toContain("sextant_http_requests_total");
    // The key of these tests has a limit; the names of keys are shown only on demand.
    expect(metrics).toContain("sextant_keys_near_limit");
    expect(metrics).toMatch(/^sextant_key_limit_used_ratio\{key_id="key_\w+",key="",limit="\w+"\} /m);
    for (const text of [...logLines, metrics, ...files]) {
      expect(text).not.toMatch(new RegExp(`${MARKER}|${OPENAI_SECRET}|${ANTHROPIC_SECRET}|${KEY}`));
    }
  });
});
