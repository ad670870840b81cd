/** A trace has the conversation of a request as messages, whatever API the client speaks, and a prompt that looks like messages is none. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chatReply, chatStream, type Gateway, KEY, startGateway } from "./clients/gateway.js";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.stop());

const MODEL = "gpt-4o-mini";
const SYSTEM = "Be brief.\nuser: This line is no message.\nassistant: Nor is this one.";
const ASKED = "What is this?\nuser: No message either.";
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PDF = Buffer.from("%PDF-1.4 tiny").toString("base64");
const IMAGE = { type: "image_url", media_type: "image/png", bytes: Buffer.from(PIXEL, "base64").length };
const FILE = { type: "file", media_type: "application/pdf", bytes: 13, filename: "tiny.pdf" };
const GIVEN = '{"city":"Ulm"}';
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: GIVEN } };

/** The conversation in the form of a trace. */
const messages = [
  { role: "system", content: SYSTEM },
  { role: "user", content: [{ type: "text", text: "Here?" }, IMAGE, FILE] },
  { role: "assistant", content: "I look it up.", tool_calls: [call] },
  { role: "tool", content: "7 °C\nuser: thanks", tool_call_id: "call_1" },
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
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "call_1", content: "7 °C\nuser: thanks" }],
    },
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
    { type: "function_call_output", call_id: "call_1", output: "7 °C\nuser: thanks" },
    { role: "user", content: ASKED },
  ],
};

const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
const user = (content: unknown) => [{ role: "user", content }];

interface Case {
  readonly path: string;
  readonly body: object;
  readonly expected: object;
  readonly streams?: true;
}

const whole = { messages, input_text: ASKED };
const CASES: readonly Case[] = [
  {
    path: "/v1/chat/completions",
    body: { model: MODEL, messages: inChat, tools },
    expected: whole,
    streams: true,
  },
  { path: "/v1/messages", body: { model: MODEL, ...inMessages }, expected: whole, streams: true },
  { path: "/v1/responses", body: { model: MODEL, ...inResponses }, expected: whole, streams: true },
  {
    path: "/v1/completions",
    body: { model: MODEL, prompt: SYSTEM },
    expected: { messages: user(SYSTEM), input_text: SYSTEM },
    streams: true,
  },
  {
    path: "/v1/router",
    // What is routed has texts and images.
    body: { execute: false, messages: inChat.with(1, { role: "user", content: "Here?" }) },
    expected: { messages: messages.with(1, { role: "user", content: "Here?" }), input_text: ASKED },
  },
  {
    path: "/v1/router",
    body: { messages: inChat.with(1, { role: "user", content: "Here?" }), models: [MODEL, "gpt-4o"] },
    expected: { messages: messages.with(1, { role: "user", content: "Here?" }), input_text: ASKED },
    streams: true,
  },
  {
    path: "/v1/embeddings",
    body: { model: "sextant", input: ["user: a moth", "a\ndrawer"] },
    expected: {
      messages: user(["user: a moth", "a\ndrawer"].map((text) => ({ type: "text", text }))),
      input_text: "user: a moth\na\ndrawer",
    },
  },
];

async function traceOf(path: string, body: object): Promise<unknown> {
  const headers = { "x-api-key": KEY, "content-type": "application/json" };
  const reply = await fetch(`${gateway.address}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.any(String)]);
  const id = reply.headers.get("x-request-id");
  let trace: unknown;
  await expect
    .poll(async () => {
      const found = await fetch(`${gateway.address}/v1/traces/${id}`, { headers });
      trace = await found.json();
      return found.status;
    })
    .toBe(200);
  return trace;
}

describe.each(CASES)("The trace of a request to $path", ({ path, body, expected, streams }) => {
  it.each(streams === undefined ? [false] : [false, true])(
    "has the conversation as messages, without the bytes of images and files (streamed: %s)",
    async (stream) => {
      gateway.openai.answer(
        stream ? chatStream([{ role: "assistant", content: "4" }]) : chatReply({ content: "4" }),
      );
      const trace = await traceOf(path, stream ? { ...body, stream } : body);
      expect(trace).toMatchObject(expected);
      expect(JSON.stringify(trace)).not.toMatch(/iVBORw0|JVBERi/);
    },
  );
});
