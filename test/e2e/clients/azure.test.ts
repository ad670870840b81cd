/**
 * Loops of a function on GPT-5.6 deployments at Azure OpenAI, whose v1 API has the paths of OpenAI's below `/openai/v1` and takes its
 * key in `api-key` (learn.microsoft.com/azure/ai-foundry/openai/how-to/responses, read 2026-11-25). It refuses what OpenAI refuses.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { pino } from "pino";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { composeServer } from "../../../src/compose/compose.js";
import { openRouterFromSettings } from "../../../src/compose/open-router.js";
import { loadSettings } from "../../../src/gateway/settings/load-settings.js";
import { jsonReply, type Script, UpstreamServer } from "../../fakes/upstream-server.js";
import { FakeVendor } from "../../fakes/vendors/vendor-server.js";

const KEY = "pk_live_0123456789abcdefghijklmnopqrstuvwxyzABCD";
const AZURE_KEY = "key-of-the-resource";
/** Names of deployments, and the models that they are of. */
const DEPLOYED: Readonly<Record<string, string>> = { "gpt-5.6-luna": "gpt-5.6-luna", ours: "gpt-5.6-luna" };

const vendor = new FakeVendor("openai");

/** Texts of these refusals: guesses. */
const azure: Script = (exchange) => {
  const { path, headers, body } = exchange.request;
  if (headers["api-key"] !== AZURE_KEY)
    return jsonReply({ error: { code: "401", message: "Access denied." } }, { status: 401 })(exchange);
  const asked = JSON.parse(body);
  const model = DEPLOYED[asked.model];
  if (!path.startsWith("/openai/v1/") || model === undefined)
    return jsonReply({ error: { code: "404", message: "Resource not found" } }, { status: 404 })(exchange);
  const request = { ...exchange.request, body: JSON.stringify({ ...asked, model }) };
  return vendor.script({ ...exchange, request });
};

let upstream: UpstreamServer;
let address: string;
let stop: () => Promise<void>;
beforeAll(async () => {
  upstream = await UpstreamServer.start();
  upstream.answer(azure);
  const folder = mkdtempSync(join(tmpdir(), "sextant-azure-"));
  const deployments = [
    { name: "support", provider: "azure", upstream_model: "ours", profile: "gpt-5.6-luna" },
  ];
  writeFileSync(join(folder, "sextant.config.json"), JSON.stringify({ deployments }));
  const environment = {
    ...{ SEXTANT_PORT: "0", SEXTANT_DATA_DIR: folder, SEXTANT_RETRIES: "0" },
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    AZURE_OPENAI_API_KEY: AZURE_KEY,
    AZURE_OPENAI_ENDPOINT: upstream.origin,
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ level: "silent" });
  const server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
  stop = async () => {
    await server.stop();
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  };
});
afterAll(() => stop());
beforeEach(() => {
  vendor.calls.length = 0;
  upstream.requests.length = 0;
});

const question = { role: "user" as const, content: "What is the weather in Oslo?" };
const parameters = { type: "object" as const, properties: { city: { type: "string" } } };
const ANSWER = "It is 3 °C.";

/** The bodies that came, after a look at the path and key of each. */
function bodies(deployment: string) {
  expect(vendor.calls).toEqual([null, null]);
  return upstream.requests.map(({ method, path, headers, body }) => {
    expect([method, path, headers["api-key"]]).toEqual(["POST", "/openai/v1/responses", AZURE_KEY]);
    expect(headers).not.toHaveProperty("authorization");
    const asked = JSON.parse(body);
    expect(asked).toMatchObject({
      ...{
        model: deployment,
        store: false,
        include: expect.arrayContaining(["reasoning.encrypted_content"]),
      },
      tools: [{ type: "function", name: "weather", parameters }],
    });
    return asked;
  });
}

/** What follows the question in the second call: the reasoning as it was sealed, the call, its output. */
function carried(deployment: string): void {
  const [, second] = bodies(deployment);
  expect(second.input.slice(1)).toMatchObject([
    { type: "reasoning", encrypted_content: expect.stringMatching(/^gAAA/) },
    { type: "function_call", name: "weather", arguments: '{"city":"Oslo"}' },
    { type: "function_call_output", output: "3 °C" },
  ]);
}

describe.each([
  ["azure/gpt-5.6-luna", "gpt-5.6-luna"],
  ["support", "ours"],
])("A loop of a function on %s of Azure OpenAI", (model, deployment) => {
  const openai = () => new OpenAI({ baseURL: `${address}/v1`, apiKey: KEY, maxRetries: 0 });

  it.each([false, true])("goes through chat completions (streamed: %s)", async (streamed) => {
    const { chat } = openai();
    const tools = [{ type: "function" as const, function: { name: "weather", parameters } }];
    const messages: OpenAI.ChatCompletionMessageParam[] = [question];
    for (let turn = 0; turn < 2; turn++) {
      const asked = { model, messages, tools };
      const { choices } = streamed
        ? await chat.completions.stream(asked).finalChatCompletion()
        : await chat.completions.create(asked);
      const message = choices[0]?.message;
      if (message === undefined) throw new Error("no message");
      messages.push(message);
      for (const { id } of message.tool_calls ?? [])
        messages.push({ role: "tool", tool_call_id: id, content: "3 °C" });
    }
    expect(messages.at(-1)?.content).toBe(ANSWER);
    carried(deployment);
  });

  it.each([false, true])("goes through Responses (streamed: %s)", async (streamed) => {
    const { responses } = openai();
    const tools = [{ type: "function" as const, name: "weather", parameters, strict: false }];
    const input: OpenAI.Responses.ResponseInputItem[] = [question];
    let text = "";
    for (let turn = 0; turn < 2; turn++) {
      const include = ["reasoning.encrypted_content" as const];
      const asked = { model, input, tools, store: false, include };
      const said = streamed ? await responses.stream(asked).finalResponse() : await responses.create(asked);
      text = said.output_text;
      for (const item of said.output) {
        input.push(item as OpenAI.Responses.ResponseInputItem);
        if (item.type === "function_call")
          input.push({ type: "function_call_output", call_id: item.call_id, output: "3 °C" });
      }
    }
    expect(text).toBe(ANSWER);
    carried(deployment);
  });

  it.each([false, true])("goes through Messages (streamed: %s)", async (streamed) => {
    const { messages: api } = new Anthropic({ baseURL: address, apiKey: KEY, maxRetries: 0 });
    const tools = [{ name: "weather", input_schema: parameters }];
    const messages: Anthropic.MessageParam[] = [question];
    let text: string | undefined;
    for (let turn = 0; turn < 2; turn++) {
      const asked = { model, messages, tools, max_tokens: 500 };
      const { content } = streamed ? await api.stream(asked).finalMessage() : await api.create(asked);
      messages.push({ role: "assistant", content });
      const used = content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
      if (used.length > 0)
        messages.push({
          role: "user",
          content: used.map((id) => ({ type: "tool_result" as const, tool_use_id: id, content: "3 °C" })),
        });
      text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).at(-1);
    }
    expect(text).toBe(ANSWER);
    carried(deployment);
  });
});
