/**
 * Every export is held against OpenTelemetry's protocol, and every span of an upstream call against its conventions for generative AI.
 *
 * Names, types and requirement levels: https://github.com/open-telemetry/semantic-conventions-genai, docs/gen-ai/client-inference.md
 * (commit 024a4f944a12) and gen-ai-spans.md (embeddings; commit 002c8a6ea1c8), messages: gen-ai-output-messages.json (commit 8f24f0eb3877);
 * read on 2026-11-26. `Recommended` attributes that a gateway does not know are absent.
 */
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ComposedServer, composeServer } from "../../src/compose/compose.js";
import { openRouterFromSettings } from "../../src/compose/open-router.js";
import { loadSettings } from "../../src/gateway/settings/load-settings.js";
import { CHAT_ONLY, eventReply, jsonReply, UpstreamServer } from "../fakes/upstream-server.js";
import { KEY } from "../gateway/server/server.js";
import { type CollectedSpan, type Collector, startCollector } from "../gateway/telemetry/collector.js";
import { otlpExportSchema } from "../gateway/telemetry/otlp-schema.js";
import { newFolder, removeFolder } from "./server-process.js";

const CLIENT_SPAN = 3;
const count = z.int().min(0);

/** Attributes of the conventions that may be on a call, with their types. */
const KNOWN: Readonly<Record<string, z.ZodType>> = {
  "gen_ai.operation.name": z.enum(["chat", "text_completion", "embeddings", "generate_content"]),
  "gen_ai.provider.name": z.string().min(1),
  "gen_ai.request.model": z.string().min(1),
  "gen_ai.request.stream": z.boolean(),
  "gen_ai.request.reasoning.level": z.string(),
  "gen_ai.conversation.id": z.string(),
  "gen_ai.response.finish_reasons": z.object({
    values: z.array(z.object({ stringValue: z.string() })).min(1),
  }),
  "gen_ai.usage.input_tokens": count,
  "gen_ai.usage.output_tokens": count,
  "gen_ai.usage.cache_read.input_tokens": count,
  "gen_ai.usage.cache_write.input_tokens": count,
  // Its name until version 1.41.
  "gen_ai.usage.cache_creation.input_tokens": count,
  "gen_ai.usage.reasoning.output_tokens": count,
  "gen_ai.input.messages": z.string(),
  "gen_ai.output.messages": z.string(),
  "error.type": z.string().min(1),
  "http.response.status_code": z.int(),
};
/** No name of the conventions: Langfuse's. */
const OTHERS = ["gen_ai.usage.cost"];
/** `Required`, and `Conditionally Required` where the condition always holds here. */
const REQUIRED = ["gen_ai.operation.name", "gen_ai.provider.name", "gen_ai.request.model"];

const part = z.union([
  z.object({ type: z.enum(["text", "reasoning"]), content: z.string() }),
  z.object({ type: z.literal("tool_call"), name: z.string().min(1) }),
  z
    .object({ type: z.literal("tool_call_response"), response: z.unknown() })
    .refine((one) => "response" in one),
  z.object({ type: z.string() }).refine(({ type }) => !/^(?:text|reasoning|tool_call.*)$/.test(type)),
]);
const message = z.object({ role: z.enum(["system", "user", "assistant", "tool"]), parts: z.array(part) });
const inputMessages = z.array(message).min(1);
const outputMessages = z.array(message.extend({ finish_reason: z.string().min(1) })).min(1);

/** What is wrong with the span of a call by the conventions; empty when nothing is. */
function faultsOf({ name, attributes, isError }: CollectedSpan): readonly string[] {
  const faults: string[] = [];
  for (const required of REQUIRED) if (!(required in attributes)) faults.push(`${required} is missing`);
  for (const [key, value] of Object.entries(attributes)) {
    const schema = KNOWN[key];
    if (schema !== undefined && !schema.safeParse(value).success)
      faults.push(`${key} is ${JSON.stringify(value)}`);
    else if (schema === undefined && !OTHERS.includes(key) && !key.startsWith("sextant."))
      faults.push(`${key} is no name of the conventions`);
  }
  const { "gen_ai.operation.name": operation, "gen_ai.request.model": model } = attributes;
  if (name !== `${operation} ${model}`) faults.push(`the span is named ${name}`);
  if (isError !== "error.type" in attributes) faults.push("error.type does not go with the status");
  const texts = [
    ["gen_ai.input.messages", inputMessages],
    ["gen_ai.output.messages", outputMessages],
  ] as const;
  for (const [key, schema] of texts) {
    if (key in attributes && !schema.safeParse(JSON.parse(String(attributes[key]))).success)
      faults.push(`${key} is ${attributes[key]}`);
  }
  return faults;
}

let collector: Collector;
let openai: UpstreamServer;
let server: ComposedServer;
let address: string;
const folder = newFolder();

beforeAll(async () => {
  collector = await startCollector();
  openai = await UpstreamServer.start(CHAT_ONLY);
  const environment = {
    SEXTANT_PORT: "0",
    SEXTANT_DATA_DIR: folder,
    SEXTANT_BOOTSTRAP_API_KEY: KEY,
    SEXTANT_RETRIES: "0",
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: `${openai.origin}/v1`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
    OTEL_BSP_SCHEDULE_DELAY: "20",
  };
  const settings = loadSettings(environment, { workingDirectory: folder });
  const logger = pino({ enabled: false });
  server = await composeServer(settings, { logger, environment, openRouter: openRouterFromSettings });
  address = await server.start();
}, 60_000);
afterAll(async () => {
  await server.stop();
  await Promise.all([openai.close(), collector.close()]);
  removeFolder(folder);
});

async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const response = await fetch(`${address}${path}`, {
    method: "POST",
    headers: { "x-api-key": KEY, "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  await response.text();
  return response.headers.get("x-request-id") ?? "";
}

async function callOf(id: string): Promise<CollectedSpan> {
  const find = () =>
    collector.spans.find(
      ({ kind, attributes }) => kind === CLIENT_SPAN && attributes["sextant.request_id"] === id,
    );
  await expect.poll(find).toBeDefined();
  return find() as CollectedSpan;
}

const usage = {
  ...{ prompt_tokens: 3000, completion_tokens: 20, total_tokens: 3020 },
  prompt_tokens_details: { cached_tokens: 2048 },
  completion_tokens_details: { reasoning_tokens: 7 },
};
const answer = (content: string | null, more: object = {}) => ({
  ...{ id: "c", object: "chat.completion", created: 1, model: "gpt-4o-mini", usage },
  choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason: "stop" }],
});
const CALL = { id: "c1", type: "function", function: { name: "look", arguments: '{"a":1}' } };
const MESSAGES = [
  { role: "system", content: "Be brief." },
  {
    role: "user",
    content: [
      { type: "text", text: "What is this?" },
      { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
    ],
  },
  { role: "assistant", content: null, tool_calls: [CALL] },
  { role: "tool", tool_call_id: "c1", content: "a cat" },
];

describe("A collector", { timeout: 60_000 }, () => {
  it("gets spans of calls with the names, types and levels of the conventions", async () => {
    openai.answer(jsonReply(answer("A cat.")));
    const metadata = { conversation_id: "c-1" };
    const span = await callOf(
      await post("/v1/chat/completions", { model: "gpt-4o-mini", messages: MESSAGES, metadata }),
    );
    expect(faultsOf(span)).toEqual([]);
    expect(span.attributes).toMatchObject({
      "gen_ai.conversation.id": "c-1",
      "gen_ai.usage.cache_read.input_tokens": 2048,
      "gen_ai.usage.reasoning.output_tokens": 7,
    });
    const [said] = JSON.parse(String(span.attributes["gen_ai.output.messages"]));
    expect(said).toEqual({
      ...{ role: "assistant", finish_reason: "stop", parts: [{ type: "text", content: "A cat." }] },
    });
  });

  it("gets the session of a coding agent as the conversation, and the effort that a request asks for", async () => {
    openai.answer(jsonReply({ ...answer("A cat."), model: "gpt-5.4-mini" }));
    const body = { model: "gpt-5.4-mini", messages: MESSAGES.slice(0, 1), reasoning_effort: "low" };
    const span = await callOf(await post("/v1/chat/completions", body, { "x-session-id": "s-1" }));
    expect(faultsOf(span)).toEqual([]);
    expect(span.attributes).toMatchObject({
      "gen_ai.conversation.id": "s-1",
      "gen_ai.request.reasoning.level": "low",
    });
  });

  it("gets those of streams, of failed calls and of embeddings in the same form", async () => {
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ ...answer(null), object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    openai.answer(eventReply([chunk({ content: "Hi" }, null), chunk({}, "stop"), "data: [DONE]\n\n"]));
    const streamed = await callOf(
      await post("/v1/chat/completions", { model: "gpt-4o-mini", messages: MESSAGES, stream: true }),
    );
    expect(faultsOf(streamed)).toEqual([]);
    expect(streamed.attributes["gen_ai.request.stream"]).toBe(true);
    openai.answer(jsonReply({ error: { message: "no" } }, { status: 503 }));
    const failed = await callOf(
      await post("/v1/chat/completions", { model: "gpt-4o-mini", messages: MESSAGES }),
    );
    expect(faultsOf(failed)).toEqual([]);
    expect(failed.isError).toBe(true);
    openai.answer(
      jsonReply({
        ...{ object: "list", model: "text-embedding-3-small", usage: { prompt_tokens: 3, total_tokens: 3 } },
        data: [{ object: "embedding", index: 0, embedding: [0.5, 0.5] }],
      }),
    );
    const embedded = await callOf(
      await post("/v1/embeddings", { model: "text-embedding-3-small", input: "Hi there" }),
    );
    expect(faultsOf(embedded)).toEqual([]);
    expect(embedded.name).toBe("embeddings text-embedding-3-small");
  });

  it("gets nothing that OpenTelemetry's protocol does not have", () => {
    expect(collector.exports.length).toBeGreaterThan(0);
    for (const { path, headers, body } of collector.exports) {
      expect([path, headers["content-type"]]).toEqual(["/v1/traces", "application/json"]);
      const checked = otlpExportSchema.safeParse(JSON.parse(body));
      expect(checked.error?.issues ?? []).toEqual([]);
    }
  });

  it("would be told of a name, a type and a message that the conventions do not have", () => {
    const span = collector.spans.find(({ kind }) => kind === CLIENT_SPAN) as CollectedSpan;
    const changed = (attributes: object) =>
      faultsOf({ ...span, attributes: { ...span.attributes, ...attributes } });
    expect(changed({ "gen_ai.usage.tokens": 3 })).toEqual([
      "gen_ai.usage.tokens is no name of the conventions",
    ]);
    expect(changed({ "gen_ai.usage.input_tokens": "3" })).toHaveLength(1);
    expect(changed({ "gen_ai.output.messages": '[{"role":"assistant","parts":[]}]' })).toHaveLength(1);
    expect(faultsOf({ ...span, attributes: {} }).length).toBeGreaterThan(3);
  });
});
