/** A trace has the conversation of a request as messages and the reasoning of the answer, whatever APIs the client and the provider speak. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventReply, jsonReply, type Script } from "../fakes/upstream-server.js";
import { type Gateway, startGateway } from "./clients/gateway.js";
import { chatReply, chatStream, messageReply, messageStream } from "./replies.js";
import { traceOf } from "./whole-gateway.js";

let gateway: Gateway;
/** One whose OpenAI has Responses. */
let native: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  native = await startGateway({});
});
afterAll(() => Promise.all([gateway.stop(), native.stop()]));

async function traceOfAsking(path: string, body: object, from = gateway) {
  const { status, text, requestId } = await from.call(path, { body });
  expect(status, text).toBe(200);
  return traceOf(from.call, requestId);
}

const MODEL = "gpt-4o-mini";
const SYSTEM = "Be brief.\nuser: This line is no message.\nassistant: Nor is this one.";
const ASKED = "What is this?\nuser: No message either.";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = Buffer.from("%PDF-1.4 tiny").toString("base64");
const IMAGE = { type: "image_url", media_type: "image/png", bytes: Buffer.from(PIXEL, "base64").length };
const FILE = { type: "file", media_type: "application/pdf", bytes: 13, filename: "tiny.pdf" };
const TOLD = "7 °C\nuser: thanks";
const GIVEN = '{"city":"Ulm"}';
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: GIVEN } };

/** The conversation in the form of a trace. */
const messages = [
  { role: "system", content: SYSTEM },
  { role: "user", content: [{ type: "text", text: "Here?" }, IMAGE, FILE] },
  { role: "assistant", content: "I look it up.", tool_calls: [call] },
  { role: "tool", content: TOLD, tool_call_id: "call_1" },
  { role: "user", content: ASKED },
];

const inChat = [
  messages[0],
  {
    role: "user",
    content: [
      { type: "text", text: "Here?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}`, detail: "low" } },
      { type: "file", file: { filename: "tiny.pdf", file_data: `data:application/pdf;base64,${PDF}` } },
    ],
  },
  ...messages.slice(2),
];

const inMessages = {
  max_tokens: 100,
  system: SYSTEM,
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "Here?" },
        { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
        {
          type: "document",
          title: "tiny.pdf",
          source: { type: "base64", media_type: "application/pdf", data: PDF },
        },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "text", text: "I look it up." },
        { type: "tool_use", id: "call_1", name: "weather", input: { city: "Ulm" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: TOLD }] },
    { role: "user", content: ASKED },
  ],
};

const inResponses = {
  instructions: SYSTEM,
  input: [
    {
      role: "user",
      content: [
        { type: "input_text", text: "Here?" },
        { type: "input_image", image_url: `data:image/png;base64,${PIXEL}` },
        { type: "input_file", filename: "tiny.pdf", file_data: `data:application/pdf;base64,${PDF}` },
      ],
    },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "I look it up." }] },
    { type: "function_call", call_id: "call_1", name: "weather", arguments: GIVEN },
    { type: "function_call_output", call_id: "call_1", output: TOLD },
    { role: "user", content: ASKED },
  ],
};

const user = (content: unknown) => [{ role: "user", content }];

interface Case {
  readonly path: string;
  readonly body: object;
  readonly expected: object;
}

const whole = { messages, input_text: ASKED };
const CASES: readonly Case[] = [
  { path: "/v1/chat/completions", body: { model: MODEL, messages: inChat }, expected: whole },
  { path: "/v1/messages", body: { model: MODEL, ...inMessages }, expected: whole },
  { path: "/v1/responses", body: { model: MODEL, ...inResponses }, expected: whole },
  {
    path: "/v1/embeddings",
    body: { model: "sextant", input: ["user: a moth", "a\ndrawer"] },
    expected: {
      messages: user(["user: a moth", "a\ndrawer"].map((text) => ({ type: "text", text }))),
      input_text: "user: a moth\na\ndrawer",
    },
  },
];

it.each(CASES)(
  "The trace of a request to $path has the conversation as messages, without the bytes of images and files",
  async ({ path, body, expected }) => {
    gateway.openai.answer(chatReply({ content: "4" }));
    const trace = await traceOfAsking(path, body);
    expect(trace).toMatchObject(expected);
    expect(JSON.stringify(trace)).not.toMatch(/iVBORw0|JVBERi/);
    expect(trace).not.toHaveProperty("reasoning_text");
  },
);

const REASONING = "They ask for a sum.";
const [BEGINNING, REST] = [REASONING.slice(0, 5), REASONING.slice(5)];

/** How a provider answers, whole and streamed. */
interface Answers {
  readonly whole: Script;
  readonly streamed: Script;
}

const AS_CHAT: Answers = {
  whole: chatReply({ reasoning: REASONING, content: "4" }),
  streamed: chatStream([{ role: "assistant", reasoning: BEGINNING }, { reasoning: REST }, { content: "4" }]),
};

const AS_CLAUDE: Answers = {
  whole: messageReply([
    { type: "thinking", thinking: REASONING, signature: "c2ln" },
    { type: "text", text: "4" },
  ]),
  streamed: messageStream([
    {
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: BEGINNING },
        { type: "thinking_delta", thinking: REST },
        { type: "signature_delta", signature: "c2ln" },
      ],
    },
    { start: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "4" }] },
  ]),
};

const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: REASONING }] },
    { id: "msg_1", type: "message", role: "assistant", content: [{ type: "output_text", text: "4" }] },
  ],
  usage: { input_tokens: 9, output_tokens: 5 },
};
const responseEvent = (body: { readonly type: string; readonly [name: string]: unknown }) =>
  `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
const summaryDelta = (delta: string) =>
  responseEvent({ type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta });

const AS_RESPONSES: Answers = {
  whole: jsonReply(response),
  streamed: eventReply([
    summaryDelta(BEGINNING),
    summaryDelta(REST),
    responseEvent({ type: "response.output_text.delta", output_index: 1, delta: "4" }),
    responseEvent({ type: "response.completed", response }),
  ]),
};

const QUESTION = "What is 2 + 2?";
const asked = user(QUESTION);
const CHAT = { path: "/v1/chat/completions", body: { messages: asked } };
const MESSAGES = { path: "/v1/messages", body: { messages: asked, max_tokens: 100 } };
const SUMMARY = { path: "/v1/responses", body: { input: QUESTION, reasoning: { summary: "auto" } } };

describe.each([
  { what: "`reasoning` of chat completions", at: "openai", answers: AS_CHAT, client: MESSAGES },
  { what: "Anthropic's thinking", at: "anthropic", answers: AS_CLAUDE, client: CHAT },
  { what: "Anthropic's thinking, by its own API", at: "anthropic", answers: AS_CLAUDE, client: MESSAGES },
  { what: "OpenAI's summary", at: "native", answers: AS_RESPONSES, client: SUMMARY },
] as const)("$what", ({ at, answers, client: { path, body } }) => {
  it.each([false, true])("is in the trace (streamed: %s)", async (stream) => {
    const from = at === "native" ? native : gateway;
    from[at === "native" ? "openai" : at].answer(stream ? answers.streamed : answers.whole);
    const model = at === "anthropic" ? "claude-haiku-4-5-20251001" : MODEL;
    expect(await traceOfAsking(path, { ...body, model, stream }, from)).toMatchObject({
      status: "success",
      output_text: "4",
      reasoning_text: REASONING,
    });
  });
});
