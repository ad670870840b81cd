/** Whole replies of providers, as each of their APIs sends them. */
import { responseEvents } from "../fakes/vendors/weather.js";
import { messageEvents, streamBytes, wholeMessage } from "../gateway/providers/anthropic/answers.js";

const USAGE = {
  prompt_tokens: 5,
  completion_tokens: 2,
  total_tokens: 7,
  prompt_tokens_details: { cached_tokens: 1 },
};
const CALL = { id: "call_1", type: "function", function: { name: "f", arguments: '{"a": 1}' } };
const LOGPROBS = { content: [{ token: "Hi", logprob: -0.1, bytes: [72, 105], top_logprobs: [] }] };
const MESSAGE_USAGE = { input_tokens: 5, output_tokens: 2, cache_read_input_tokens: 1 };
const RESPONSE_USAGE = {
  input_tokens: 5,
  output_tokens: 2,
  total_tokens: 7,
  input_tokens_details: { cached_tokens: 1 },
  output_tokens_details: { reasoning_tokens: 1 },
};

const events = (all: readonly object[]): string =>
  all.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

const chunk = (choice: object): object => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, finish_reason: null, ...choice }],
});

const CHAT = JSON.stringify({
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  usage: USAGE,
  choices: [
    {
      index: 0,
      logprobs: LOGPROBS,
      finish_reason: "stop",
      message: { role: "assistant", content: "Hi", reasoning_content: "Hm", tool_calls: [CALL] },
    },
  ],
});
const CHAT_STREAM = `${events([
  chunk({ delta: { role: "assistant", content: "" } }),
  chunk({ delta: { reasoning_content: "Hm" } }),
  chunk({ delta: { content: "Hi" }, logprobs: LOGPROBS }),
  chunk({ delta: { tool_calls: [{ index: 0, ...CALL }] } }),
  chunk({ delta: {}, finish_reason: "tool_calls" }),
  { ...chunk({}), choices: [], usage: USAGE },
])}data: [DONE]\n\n`;

const BLOCKS = [
  { type: "thinking", thinking: "Hm", signature: "c2ln" },
  { type: "text", text: "Hi" },
  { type: "tool_use", id: "toolu_1", name: "f", input: { a: 1 } },
];
const SAID = { model: "m", stop_reason: "tool_use", usage: MESSAGE_USAGE };
const redacted = { type: "redacted_thinking", data: "c2Vj" };
const MESSAGE = JSON.stringify(wholeMessage({ ...SAID, content: [redacted, ...BLOCKS] }));
const MESSAGE_STREAM = streamBytes(messageEvents({ ...SAID, content: BLOCKS })).toString();

const OUTPUT_MESSAGE = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "Hi", annotations: [] }],
};
const FUNCTION_CALL = {
  id: "fc_1",
  type: "function_call",
  call_id: "call_1",
  name: "f",
  arguments: '{"a": 1}',
  status: "completed",
};
const RESPONSE = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: [
    { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Hm" }] },
    OUTPUT_MESSAGE,
    FUNCTION_CALL,
  ],
  usage: RESPONSE_USAGE,
};
const RESPONSE_STREAM = responseEvents(RESPONSE).join("");

const TEXT = JSON.stringify({
  id: "t",
  object: "text_completion",
  created: 1,
  model: "m",
  usage: USAGE,
  choices: [
    {
      index: 0,
      text: "Hi",
      finish_reason: "stop",
      logprobs: { tokens: ["Hi"], token_logprobs: [-0.1], top_logprobs: [{ Hi: -0.1 }], text_offset: [0] },
    },
  ],
});
const TEXT_STREAM = `data: ${TEXT}\n\ndata: [DONE]\n\n`;

const EMBEDDINGS = JSON.stringify({
  object: "list",
  model: "m",
  usage: { prompt_tokens: 5, total_tokens: 5 },
  data: [{ object: "embedding", index: 0, embedding: [0.1, -0.2, 0.3] }],
});

/** By the end of the path of the provider's API. */
export const REPLIES = {
  "/chat/completions": { whole: CHAT, stream: CHAT_STREAM },
  "/messages": { whole: MESSAGE, stream: MESSAGE_STREAM },
  "/responses": { whole: JSON.stringify(RESPONSE), stream: RESPONSE_STREAM },
  "/completions": { whole: TEXT, stream: TEXT_STREAM },
  "/embeddings": { whole: EMBEDDINGS, stream: EMBEDDINGS },
} as const;
