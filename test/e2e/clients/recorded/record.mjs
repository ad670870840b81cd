/**
 * Records the requests of client libraries that are not installed here, because of their size or because nobody maintains
 * them any more. The packages are unmodified; what they ask is answered as OpenAI would, and what they make of it is checked.
 *
 *   npm install --prefix /tmp/llamaindex @llamaindex/openai@0.4.22 @llamaindex/core@0.6.22 @llamaindex/env@0.1.30 zod@4
 *   node test/e2e/clients/recorded/record.mjs llamaindex /tmp/llamaindex
 *   npm install --prefix /tmp/mastra @mastra/core@0.24.9 zod@4
 *   node test/e2e/clients/recorded/record.mjs mastra /tmp/mastra
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [, , client = "", folder = ""] = process.argv;
const root = resolve(folder);
const require = createRequire(join(root, "package.json"));
const load = async (name) => import(pathToFileURL(require.resolve(name)).href);

// OpenAI's side

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };
const calls = ["Oslo", "Rome"].map((city, index) => ({
  id: `call_${index + 1}`,
  type: "function",
  function: { name: "weather", arguments: JSON.stringify({ city }) },
}));

function messageFor({ messages, tools, response_format: format }) {
  if (tools !== undefined && messages.every(({ role }) => role !== "tool")) {
    return { role: "assistant", content: null, tool_calls: calls };
  }
  return { role: "assistant", content: format?.type === "json_schema" ? '{"city":"Oslo"}' : "Cold." };
}

function reply(path, body) {
  if (path.endsWith("/embeddings")) {
    const data = [body.input].flat().map((_, index) => ({
      object: "embedding",
      index,
      embedding:
        body.encoding_format === "base64"
          ? Buffer.from(Float32Array.of(0.5, index).buffer).toString("base64")
          : [0.5, index],
    }));
    return JSON.stringify({ object: "list", data, model: body.model, usage });
  }
  const message = messageFor(body);
  const finish_reason = message.tool_calls === undefined ? "stop" : "tool_calls";
  const head = { id: "chatcmpl-1", created: 1, model: body.model };
  if (body.stream !== true) {
    const choices = [{ index: 0, message, finish_reason }];
    return JSON.stringify({ ...head, object: "chat.completion", choices, usage });
  }
  const delta = { ...message, tool_calls: message.tool_calls?.map((call, index) => ({ index, ...call })) };
  const chunks = [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage },
  ];
  const events = chunks.map(
    (chunk) => `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", ...chunk })}\n\n`,
  );
  return `${events.join("")}data: [DONE]\n\n`;
}

const requests = [];
let step = "";
const server = createServer(async (request, response) => {
  let text = "";
  for await (const piece of request) text += piece;
  const body = JSON.parse(text);
  requests.push({ step, path: request.url, body });
  response.writeHead(200, {
    "content-type": body.stream === true ? "text/event-stream" : "application/json",
  });
  response.end(reply(request.url, body));
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const baseURL = `http://127.0.0.1:${server.address().port}/v1`;

async function record(name, run, expected) {
  step = name;
  assert.deepEqual(await run(), expected, name);
}

// The clients

const model = "gpt-4o-mini";
const question = "What is the weather in Oslo and in Rome?";
const { z } = await load("zod");
const place = z.object({ city: z.string() });

async function llamaindex() {
  const { OpenAI, OpenAIEmbedding } = await load("@llamaindex/openai");
  const { tool } = await load("@llamaindex/core/tools");
  const weather = tool(({ city }) => `3 °C in ${city}`, {
    name: "weather",
    description: "The weather of a city",
    parameters: place,
  });
  const options = { apiKey: "none", baseURL, model, maxRetries: 0 };
  const llm = new OpenAI(options);
  const messages = [{ role: "user", content: question }];
  const system = { role: "system", content: "Be brief." };
  await record(
    "chat",
    async () => (await llm.chat({ messages: [system, ...messages] })).message.content,
    "Cold.",
  );
  await record("stream", () => textOf(llm.chat({ messages, stream: true })), "Cold.");
  await record(
    "tools",
    async () => {
      const called = await llm.exec({ messages, tools: [weather] });
      const told = await llm.exec({ messages: [...messages, ...called.newMessages], tools: [weather] });
      return told.newMessages.at(-1).content;
    },
    "Cold.",
  );
  await record(
    "structured",
    async () => JSON.parse((await llm.chat({ messages, responseFormat: place })).message.content),
    { city: "Oslo" },
  );
  const embedding = new OpenAIEmbedding({ ...options, model: "text-embedding-3-small" });
  await record("embeddings", () => embedding.getTextEmbeddings(["a moth", "a drawer"]), [
    [0.5, 0],
    [0.5, 1],
  ]);
  return "@llamaindex/openai";
}

async function textOf(answer) {
  let text = "";
  for await (const { delta } of await answer) text += delta;
  return text;
}

async function mastra() {
  const { Agent } = await load("@mastra/core/agent");
  const { createTool } = await load("@mastra/core/tools");
  const weather = createTool({
    id: "weather",
    description: "The weather of a city",
    inputSchema: place,
    execute: async ({ context }) => `3 °C in ${context.city}`,
  });
  const agent = (tools) =>
    new Agent({
      name: "weather",
      instructions: "Be brief.",
      model: { id: `sextant/${model}`, url: baseURL, apiKey: "none" },
      maxRetries: 0,
      tools,
    });
  await record("chat", async () => (await agent({}).generate(question)).text, "Cold.");
  await record("stream", async () => await (await agent({}).stream(question)).text, "Cold.");
  await record("tools", async () => (await agent({ weather }).generate(question)).text, "Cold.");
  await record(
    "structured",
    async () => (await agent({}).generate(question, { structuredOutput: { schema: place } })).object,
    { city: "Oslo" },
  );
  return "@mastra/core";
}

const name = await { llamaindex, mastra }[client]();
const { version } = JSON.parse(readFileSync(join(root, "node_modules", name, "package.json"), "utf8"));
const lines = [{ package: name, version }, ...requests].map((line) => `${JSON.stringify(line)}\n`);
writeFileSync(new URL(`${client}.jsonl`, import.meta.url), lines.join(""));
server.close();
process.exit(0);
