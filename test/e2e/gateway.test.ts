/** The whole server over real sockets: client → gateway → upstreams that answer as told. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createLogger } from "../../src/gateway/http/logger.js";
import { CHAT_ONLY, jsonReply, reply, type Script, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server.js";
import { folderForTests } from "../support/folders.js";
import { asOpenAi, bodySeen, chatReply } from "./replies.js";
import { startWholeGateway, traceOf, type WholeGateway } from "./whole-gateway.js";

const OPENAI_SECRET = "sk-openai-secret-of-this-test";
const ANTHROPIC_SECRET = "sk-ant-secret-of-this-test";
const MARKER = "MARKERwhichMustNotLeak";
const CLAUDE = "claude-3-5-sonnet-20241022";
const folder = folderForTests();

let openai: UpstreamServer;
let anthropic: UpstreamServer;
let gateway: WholeGateway;
const logLines: string[] = [];

beforeAll(async () => {
  openai = await UpstreamServer.start(CHAT_ONLY);
  anthropic = await UpstreamServer.start(CHAT_ONLY);
  const logger = createLogger("trace", { write: (line: string) => logLines.push(line) });
  gateway = await startWholeGateway(
    {
      SEXTANT_REQUESTS_PER_MINUTE: "1000000",
      SEXTANT_TRACE_CONTENT: "false",
      ...asOpenAi(openai),
      OPENAI_API_KEY: OPENAI_SECRET,
      ANTHROPIC_API_KEY: ANTHROPIC_SECRET,
      ANTHROPIC_BASE_URL: anthropic.origin,
    },
    { folder, logger },
  );
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all([openai.close(), anthropic.close()]);
});

const usage = {
  prompt_tokens: 1000,
  completion_tokens: 200,
  total_tokens: 1200,
  prompt_tokens_details: { cached_tokens: 400 },
};
const claude = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: CLAUDE,
  stop_reason: "end_turn",
  content: [{ type: "text", text: "Bonjour." }],
  usage: {
    input_tokens: 100,
    cache_read_input_tokens: 1000,
    cache_creation_input_tokens: 200,
    output_tokens: 50,
  },
};
beforeEach(() => {
  openai.answer(chatReply({ content: "Hello." }, "stop", { usage }));
  anthropic.answer(jsonReply(claude));
});

const ask = (content: string) => [{ role: "user", content }];
const chat = (body: object = {}, headers: Readonly<Record<string, string>> = {}) =>
  gateway.call("/v1/chat/completions", {
    headers,
    body: { model: "gpt-4o-mini", messages: ask("Hi"), ...body },
  });
const failing = (text = ""): Script => reply({ status: 500, body: text });

describe("The whole server", () => {
  it("sends the provider the request unchanged, with its own key in place of the client's, and reports the exact cost", async () => {
    const body = {
      model: "gpt-4o-mini",
      temperature: 0.1,
      seed: 7,
      user: "u1",
      logit_bias: { "50256": -100 },
      messages: [{ role: "system", content: "Be brief." }, ...ask("Hi")],
    };
    const answer = (await chat(body)).json();
    const { path, headers } = openai.lastRequest;
    expect([path, headers.authorization]).toEqual(["/v1/chat/completions", `Bearer ${OPENAI_SECRET}`]);
    expect(JSON.stringify(headers)).not.toContain(KEY);
    expect(bodySeen(openai)).toEqual(body);
    // 600 fresh tokens at $.15, 400 cached at $.075, 200 out at $.60 a million: 90, 30 and 120 millionths.
    expect(answer).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9A-HJKMNP-TV-Z]{26}$/),
      object: "chat.completion",
      model: "gpt-4o-mini",
      provider: "openai",
      choices: [{ message: { content: "Hello." } }],
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 200,
        total_tokens: 1200,
        input_cost_usd: 0.00009,
        cache_input_cost_usd: 0.00003,
        output_cost_usd: 0.00012,
        total_cost_usd: 0.00024,
      },
    });
  });

  it("traces every accepted request once, with its cost and its attempts", async () => {
    openai.answer(failing());
    const metadata = { ticket: "T-7" };
    const answered = await chat({ metadata, fallbacks: [CLAUDE] });
    expect(answered.json()).toMatchObject({ model: CLAUDE, provider: "anthropic" });
    const refused = await chat({ model: "nothing", metadata });
    const trace = await traceOf(gateway.call, answered.requestId);
    expect(trace).toMatchObject({
      kind: "chat",
      status: "success",
      metadata,
      attempts: [{ code: "server_error" }, { code: "ok" }],
    });
    expect(trace).not.toHaveProperty("input_text");
    const { traces } = (await gateway.call("/v1/traces?metadata.ticket=T-7")).json();
    const billed = { tokens_in: 1300, tokens_out: 50, cost_usd: 0.0021 };
    expect(traces).toMatchObject([{ request_id: answered.requestId, model: CLAUDE, ...billed }]);
    expect((await gateway.call(`/v1/traces/${refused.requestId}`)).status).toBe(404);
  });
});

describe("Errors of the whole server", () => {
  it("never let a client choose the address of a provider", async () => {
    const before = openai.requests.length;
    const address = "http://169.254.169.254/";
    const elsewhere = { base_url: address, api_base: address, provider: address };
    expect((await chat(elsewhere, { "x-portkey-custom-host": openai.origin })).status).toBe(404);
    expect(openai.requests.length).toBe(before);
  });
});

describe("Log lines of a request", () => {
  const linesOf = (id: string) =>
    logLines
      .map((line) => JSON.parse(line))
      .filter(({ request_id }) => request_id === id)
      .map(({ level, msg, request_id: _, time: __, latency_ms: ___, ...fields }) => [level, msg, fields]);
  const REQUEST = { method: "POST", route: "/v1/chat/completions" };
  // No other test asks it: its circuit opens.
  const model = "gpt-4.1-nano";

  it("name it in all that happens on its way: calls, circuits, its end", async () => {
    openai.answer(jsonReply({ error: { message: MARKER } }, { status: 500 }));
    let { requestId } = await chat({ model });
    const failed = { status: 502, code: "upstream_error" };
    const call = { provider: "openai", model, status: 500, code: "server_error" };
    const end = ["debug", "request", { ...REQUEST, ...failed, principal: "key_bootstrap" }];
    await expect.poll(() => linesOf(requestId).at(-1)).toEqual(end);
    expect(linesOf(requestId)).toEqual([
      ["info", "upstream call failed", call],
      ["info", "request failed", failed],
      end,
    ]);
    const opened = () => linesOf(requestId).find(([, text]) => text === "circuit opened");
    while (opened() === undefined) ({ requestId } = await chat({ model }));
    expect(opened()?.[0]).toBe("warn");
  });

  it("tell refused ones by their code alone", async () => {
    const { requestId } = await gateway.call("/v1/chat/completions", { key: "pk_live_wrong", body: {} });
    const refused = { status: 401, code: "invalid_api_key" };
    const end = ["debug", "request", { ...REQUEST, ...refused, principal: null }];
    await expect.poll(() => linesOf(requestId)).toEqual([["debug", "request refused", refused], end]);
  });
});

it("Secrets and prompts never appear in a log line, a metric or a file", async () => {
  for (const script of [chatReply({ content: MARKER }), failing(MARKER)]) {
    openai.answer(script);
    const { requestId } = await chat({ messages: ask(MARKER) });
    await traceOf(gateway.call, requestId);
  }
  const { text: metrics } = await gateway.call("/metrics");
  expect(metrics).toContain("sextant_http_requests_total");
  // The key of these tests has a limit; the names of keys are shown only on demand.
  expect(metrics).toMatch(/^sextant_key_limit_used_ratio\{key_id="key_\w+",key="",limit="\w+"\} /m);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"));
  expect(logLines.length).toBeGreaterThan(0);
  for (const text of [...logLines, metrics, ...files])
    expect(text).not.toMatch(new RegExp(`${MARKER}|${OPENAI_SECRET}|${ANTHROPIC_SECRET}|${KEY}`));
});
