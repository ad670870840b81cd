import type { JsonObject } from "../../../src/gateway/providers/chat.js";
import { openAiCompatible } from "../../../src/gateway/providers/openai-compatible/openai-compatible-provider.js";
import { quirksFor } from "../../../src/gateway/providers/openai-compatible/quirks.js";
import type { ProviderCall } from "../../../src/gateway/providers/provider.js";
import type { TokenUsage } from "../../../src/gateway/providers/token-usage.js";
import { LIMITS } from "../../gateway/providers/limits.js";
import type { AnswerChoice, ProviderDialect, StreamFixture } from "./dialect.js";

const SECRET = "the moth is in drawer nine";

const call: ProviderCall = {
  upstreamModel: "gpt-4o-mini-2024-07-18",
  api: "chat",
  body: { messages: [{ role: "user", content: `Say hello. ${SECRET}` }], temperature: 0.2, max_tokens: 20 },
  stream: false,
};
const streamed: ProviderCall = { ...call, stream: true };

const tool = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: {} } },
};

const called = (id: string, given: string) => ({
  id,
  type: "function",
  function: { name: "weather", arguments: given },
});

const usage = (
  promptTokens: number,
  completionTokens: number,
  rest: Partial<TokenUsage> = {},
): TokenUsage => ({
  promptTokens,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  completionTokens,
  reasoningTokens: 0,
  details: {},
  ...rest,
});

const said = (content: string, finish = "stop"): AnswerChoice => ({ content, finish, toolCalls: [] });

const completion = (choices: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: "chatcmpl-7f3a",
  object: "chat.completion",
  created: 1_763_600_000,
  model: "gpt-4o-mini-2024-07-18",
  system_fingerprint: "fp_1a2b",
  choices,
  ...more,
});

const chunk = (choices: readonly JsonObject[], more: JsonObject = {}): string =>
  `data: ${JSON.stringify({
    id: "chatcmpl-7f3a",
    object: "chat.completion.chunk",
    created: 1_763_600_000,
    model: "gpt-4o-mini-2024-07-18",
    choices,
    ...more,
  })}\n\n`;

const piece = (delta: JsonObject, finish: string | null = null, index = 0): JsonObject => ({
  index,
  delta,
  logprobs: null,
  finish_reason: finish,
});

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
      chunk([], {
        usage: {
          prompt_tokens: 19,
          completion_tokens: 8,
          total_tokens: 27,
          prompt_tokens_details: { cached_tokens: 16 },
        },
      }),
      DONE,
    ].join(""),
    answer: {
      choices: [said("Grüß dich, 世界 👩‍🚀!")],
      usage: usage(19, 8, {
        cacheReadTokens: 16,
        details: { prompt_tokens_details: { cached_tokens: 16 } },
      }),
    },
  },
  {
    name: "two calls of tools",
    call: { ...streamed, body: { ...call.body, tools: [tool] } },
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
      usage: usage(80, 31),
    },
  },
];

/** OpenAI's dialect, spoken with a provider without quirks. */
export const OPENAI_DIALECT: ProviderDialect = {
  name: "OpenAI's dialect",
  vendor: "openai",
  open: (origin, { key, maxReplyBytes }) => {
    const baseUrl = `${origin}/v1`;
    return openAiCompatible({
      id: "lab",
      baseUrl,
      apiKey: key,
      quirks: quirksFor({ id: "lab", baseUrl }),
      ...LIMITS,
      maxReplyBytes,
    });
  },
  call,
  secretPrompt: SECRET,
  requests: [
    {
      name: "a chat, every field as it came",
      call: {
        ...call,
        body: {
          ...call.body,
          tools: [tool],
          seed: 7,
          stream_options: { include_usage: true },
          vendor_field: [1],
        },
      },
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer k-123-456", "content-type": "application/json" },
      body: {
        model: "gpt-4o-mini-2024-07-18",
        messages: call.body.messages,
        temperature: 0.2,
        max_tokens: 20,
        tools: [tool],
        seed: 7,
        vendor_field: [1],
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
        [
          {
            index: 0,
            message: { role: "assistant", content: "Grüß dich, 世界 👩‍🚀!" },
            finish_reason: "stop",
          },
        ],
        {
          usage: {
            prompt_tokens: 19,
            completion_tokens: 8,
            total_tokens: 27,
            completion_tokens_details: { reasoning_tokens: 3 },
          },
        },
      ),
      answer: {
        choices: [said("Grüß dich, 世界 👩‍🚀!")],
        usage: usage(19, 8, {
          reasoningTokens: 3,
          details: { completion_tokens_details: { reasoning_tokens: 3 } },
        }),
      },
    },
    {
      name: "two choices without index, one of which calls a tool and has no finish reason",
      call: { ...call, body: { ...call.body, n: 2, tools: [tool] } },
      body: completion([
        { message: { role: "assistant", content: "heads" }, finish_reason: "stop" },
        {
          message: { role: "assistant", content: null, tool_calls: [called("call_a", "{}")] },
        },
      ]),
      answer: {
        choices: [
          said("heads"),
          {
            content: "",
            finish: null,
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
      bytes: `data: ${JSON.stringify({
        id: "gen-1",
        error: { code: 429, message: SECRET },
        choices: [piece({ content: "" }, "error")],
      })}\n\n`,
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
