import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { openAiCompatible } from "../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../src/gateway/providers/openai-compatible/quirks.js";
import type { ProviderCall } from "../../../src/gateway/providers/provider.js";
import { LIMITS } from "../../gateway/providers/limits.js";
import { chatOf, counted, type ProviderDialect, SECRET, type StreamFixture, said, TOOL } from "./dialect.js";

const call = chatOf("gpt-4o-mini-2024-07-18");
const streamed: ProviderCall = { ...call, stream: true };

const called = (id: string, given: string) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: given },
});

const head = { id: "chatcmpl-7f3a", created: 1_763_600_000, model: "gpt-4o-mini-2024-07-18" };

const completion = (choices: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...head,
  object: "chat.completion",
  choices,
  ...more,
});

const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`;

const piece = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason,
});

const GREETING = "Grüß dich, 世界 👩‍🚀!";
const COUNTS = { prompt_tokens: 19, completion_tokens: 8, total_tokens: 27 };
const GREETED = { choices: [said(GREETING)], usage: counted({ promptTokens: 19, completionTokens: 8 }) };
const DONE = "data: [DONE]\n\n";

const streams: readonly [StreamFixture, ...StreamFixture[]] = [
  {
    name: "text with characters of all lengths, and the count in an event of its own",
    call: streamed,
    bytes: [
      chunk([piece({ role: "assistant", content: "", refusal: null })], { usage: null }),
      ...["Grüß ", "dich, ", "世界 ", "👩‍🚀", "!"].map((content) =>
        chunk([piece({ content })], { usage: null }),
      ),
      chunk([piece({}, "stop")], { usage: null }),
      chunk([], { usage: COUNTS }),
      DONE,
    ].join(""),
    answer: GREETED,
  },
  {
    name: "two calls of tools",
    call: { ...streamed, body: { ...call.body, tools: [TOOL] } },
    bytes: [
      chunk([piece({ role: "assistant", content: null })]),
      ...["a", "b"].flatMap((id, index) => [
        chunk([piece({ tool_calls: [{ index, ...called(`call_${id}`, "") }] })]),
        chunk([piece({ tool_calls: [{ index, function: { arguments: '{"at":' } }] })]),
        chunk([piece({ tool_calls: [{ index, function: { arguments: `"${id}"}` } }] })]),
      ]),
      chunk([piece({}, "tool_calls")], {
        x_groq: { id: "req_1", usage: { prompt_tokens: 80, completion_tokens: 31 } },
      }),
      DONE,
    ].join(""),
    answer: {
      choices: [
        {
          content: "",
          finish: "tool_calls",
          toolCalls: ["a", "b"].map((id) => ({
            id: `call_${id}`,
            name: "weather",
            arguments: `{"at":"${id}"}`,
          })),
        },
      ],
      usage: counted({ promptTokens: 80, completionTokens: 31 }),
    },
  },
];

const FIELDS = { tools: [TOOL], seed: 7, vendor_field: [1] };

/** OpenAI's dialect, spoken with a provider without quirks. */
export const OPENAI_DIALECT: ProviderDialect = {
  name: "OpenAI's dialect",
  vendor: "openai",
  open: (origin, { key, maxReplyBytes }) => {
    const baseUrl = `${origin}/v1`;
    const quirks = quirksFor({ id: "lab", baseUrl });
    return openAiCompatible({ id: "lab", baseUrl, apiKey: key, quirks, ...LIMITS, maxReplyBytes });
  },
  call,
  requests: [
    {
      name: "a chat, every field as it came",
      call: { ...call, body: { ...call.body, ...FIELDS, stream_options: { include_usage: true } } },
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer k-123-456", "content-type": "application/json" },
      body: {
        model: "gpt-4o-mini-2024-07-18",
        messages: call.body.messages,
        temperature: 0.2,
        max_tokens: 20,
        ...FIELDS,
      },
    },
    {
      name: "a legacy completion, whose prompt is the message's text",
      call: {
        ...call,
        api: "completions",
        body: {
          messages: [{ role: "user", content: ["Once ", "upon"].map((text) => ({ type: "text", text })) }],
          max_tokens: 5,
        },
      },
      path: "/v1/completions",
      headers: {},
      body: { model: "gpt-4o-mini-2024-07-18", prompt: "Once upon", max_tokens: 5 },
    },
  ],
  wholeReplies: [
    {
      name: "text",
      call,
      body: completion(
        [{ index: 0, message: { role: "assistant", content: GREETING }, finish_reason: "stop" }],
        { usage: COUNTS },
      ),
      answer: GREETED,
    },
    {
      name: "two choices without index, one of which calls a tool and has no finish reason",
      call: { ...call, body: { ...call.body, n: 2, tools: [TOOL] } },
      body: completion([
        { message: { role: "assistant", content: "heads" }, finish_reason: "stop" },
        { message: { role: "assistant", content: null, tool_calls: [called("call_a", "{}")] } },
      ]),
      answer: {
        choices: [
          said("heads"),
          {
            content: "",
            finish: "tool_calls",
            toolCalls: [{ id: "call_a", name: "weather", arguments: "{}" }],
          },
        ],
        usage: null,
      },
    },
    {
      name: "a legacy completion",
      call: { ...call, api: "completions", body: { messages: [{ role: "user", content: "Once" }] } },
      body: completion([{ text: " upon a time", index: 0, logprobs: null, finish_reason: "length" }], {
        object: "text_completion",
      }),
      answer: { choices: [said(" upon a time", "length")], usage: null },
    },
  ],
  streams,
  errorBody: (message) => ({
    error: { message, type: "invalid_request_error", param: null, code: null },
  }),
  strangeReplies: {
    "no choices": { id: "chatcmpl-1", object: "chat.completion" },
    "choices that are none": { choices: {} },
    "an empty list of choices": { choices: [] },
    "a choice without a message": { choices: [{ index: 0, finish_reason: "stop" }] },
    "a list": [1, 2],
    "a text": "hello",
    null: null,
  },
  errorEvents: [
    {
      bytes: `data: ${JSON.stringify({ error: { message: SECRET, type: "server_error", code: null } })}\n\n`,
      fault: { code: "server_error", upstreamCode: "server_error" },
    },
    {
      bytes: `event: error\ndata: ${JSON.stringify({ message: SECRET, code: 503 })}\n\n`,
      fault: { code: "overloaded" },
    },
    {
      bytes: chunk([piece({ content: "" }, "error")], { error: { code: 429, message: SECRET } }),
      fault: { code: "rate_limited" },
    },
    { bytes: chunk([piece({ content: "" }, "error")]), fault: { code: "server_error" } },
    {
      bytes: `data: ${JSON.stringify({ object: "error", message: SECRET, type: "BadRequestError", code: 400 })}\n\n`,
      fault: { code: "request_refused", upstreamCode: "BadRequestError" },
    },
    { bytes: 'data: {"choices":[{"index":0,"delta":{"cont\n\n', fault: { code: "invalid_reply" } },
  ],
};
