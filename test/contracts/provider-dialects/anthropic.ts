import { anthropic } from "../../../src/gateway/providers/anthropic/anthropic-provider.js";
import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import type { ProviderCall } from "../../../src/gateway/providers/provider.js";
import {
  type Message,
  messageEvents,
  streamBytes,
  wholeMessage,
} from "../../gateway/providers/anthropic/answers.js";
import { LIMITS } from "../../gateway/providers/limits.js";
import { chatOf, counted, type ProviderDialect, SECRET, type StreamFixture, said, TOOL } from "./dialect.js";

const call = chatOf("claude-sonnet-4-5-20250929");
const streamed: ProviderCall = { ...call, stream: true };

const text = (words: string): JsonObject => ({ type: "text", text: words });

const GREETING: Message = {
  content: [text("Grüß dich, "), text("世界 👩‍🚀!")],
  stop_reason: "end_turn",
  usage: { input_tokens: 3, cache_read_input_tokens: 16, output_tokens: 8 },
};
const GREETED = {
  choices: [said("Grüß dich, 世界 👩‍🚀!")],
  usage: counted({ promptTokens: 19, cacheReadTokens: 16, completionTokens: 8 }),
};

const event = (type: string, members: JsonObject = {}): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;

const streamOf = (message: Message): string => streamBytes(messageEvents(message)).toString();

const streams: readonly [StreamFixture, ...StreamFixture[]] = [
  {
    name: "text with characters of all lengths, pings between, and the count in parts",
    call: streamed,
    bytes: streamOf(GREETING),
    answer: GREETED,
  },
  {
    name: "thoughts, text, and two calls of tools, one without input",
    call: { ...streamed, body: { ...call.body, tools: [TOOL] } },
    bytes: streamOf({
      content: [
        { type: "thinking", thinking: "Where is Ölstadt?", signature: "EqQBCgIYAhIM" },
        text("Looking."),
        { type: "tool_use", id: "toolu_a", name: "weather", input: { at: "Ölstadt" } },
        { type: "tool_use", id: "toolu_b", name: "weather", input: {} },
      ],
      stop_reason: "tool_use",
      usage: { input_tokens: 80, output_tokens: 31 },
    }),
    answer: {
      choices: [
        {
          content: "Looking.",
          finish: "tool_calls",
          toolCalls: [
            { id: "toolu_a", name: "weather", arguments: '{"at":"Ölstadt"}' },
            { id: "toolu_b", name: "weather", arguments: "{}" },
          ],
        },
      ],
      usage: counted({ promptTokens: 80, completionTokens: 31 }),
    },
  },
];

const error = (type: string, said: string): JsonObject => ({ type: "error", error: { type, message: said } });

/** Anthropic's Messages API. */
export const ANTHROPIC_DIALECT: ProviderDialect = {
  name: "Anthropic's dialect",
  vendor: "anthropic",
  open: (origin, { key, maxReplyBytes }) =>
    anthropic({ id: "lab", baseUrl: origin, apiKey: key, ...LIMITS, maxReplyBytes }),
  call,
  requests: [
    {
      name: "a chat, without what has no counterpart",
      call: { ...call, body: { ...call.body, seed: 7, stop: ["END"], user: "u-1", top_k: 5 } },
      path: "/v1/messages",
      headers: {
        "x-api-key": "k-123-456",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
      },
      body: {
        model: call.upstreamModel,
        messages: [{ role: "user", content: [text(`Say hello. ${SECRET}`)] }],
        max_tokens: 20,
        temperature: 0.2,
        stream: false,
        stop_sequences: ["END"],
        metadata: { user_id: "u-1" },
        top_k: 5,
      },
    },
  ],
  wholeReplies: [
    {
      name: "text in two blocks",
      call,
      body: wholeMessage(GREETING),
      answer: GREETED,
    },
    {
      name: "a call of a tool",
      call: { ...call, body: { ...call.body, tools: [TOOL] } },
      body: wholeMessage({
        content: [{ type: "tool_use", id: "toolu_a", name: "weather", input: { at: "Rome" } }],
        stop_reason: "tool_use",
        usage: {},
      }),
      answer: {
        choices: [
          {
            content: "",
            finish: "tool_calls",
            toolCalls: [{ id: "toolu_a", name: "weather", arguments: '{"at":"Rome"}' }],
          },
        ],
        usage: null,
      },
    },
  ],
  streams,
  errorBody: (said) => error("invalid_request_error", said),
  strangeReplies: {
    "no content": { id: "msg_1", type: "message" },
    "content that is text": { content: "hello" },
    "a list": [1, 2],
    "a text": "hello",
    null: null,
  },
  errorEvents: [
    {
      bytes: event("error", { error: { type: "overloaded_error", message: SECRET } }),
      fault: { code: "overloaded", upstreamCode: "overloaded_error" },
    },
    {
      bytes: event("error", {
        error: { type: "invalid_request_error", message: `prompt is too long: ${SECRET}` },
      }),
      fault: { code: "context_length_exceeded" },
    },
    { bytes: 'event: content_block_delta\ndata: {"type":"content_bl\n\n', fault: { code: "invalid_reply" } },
  ],
};
