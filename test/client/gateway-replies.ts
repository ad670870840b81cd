/** What a gateway, or something in its place, may answer; bodies have the wire contract's form. */
import { eventReply, jsonReply, type ReplyParts, reply, type Script } from "../fakes/upstream-server.js";

const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 3,
  total_tokens: 12,
  input_cost_usd: 0.00000135,
  output_cost_usd: 0.0000018,
  cache_input_cost_usd: 0,
  total_cost_usd: 0.00000315,
  latency_ms: 41.5,
  ttft_ms: 40.25,
};

const REQUEST_ID = "req_01K7Z0000000000000000000AB";

export const chatOf = (model: string, content = "Hello!") => ({
  id: "chatcmpl-01K7Z0000000000000000000AB",
  object: "chat.completion",
  created: 1_763_600_000,
  model,
  provider: "openai",
  choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }],
  usage: USAGE,
  request_id: REQUEST_ID,
});

const textOf = (model: string, text = "Hello!") => ({
  id: "cmpl-01K7Z0000000000000000000AB",
  object: "text_completion",
  created: 1_763_600_000,
  model,
  provider: "openai",
  choices: [{ index: 0, text, logprobs: null, finish_reason: "stop" }],
  usage: USAGE,
  request_id: REQUEST_ID,
});

export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

export const chunkOf = (model: string, delta: object, finish: string | null = null) =>
  event({
    id: "chatcmpl-01K7Z0000000000000000000AB",
    object: "chat.completion.chunk",
    created: 1_763_600_000,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const textChunkOf = (model: string, text: string, finish: string | null = null) =>
  event({
    id: "cmpl-01K7Z0000000000000000000AB",
    object: "text_completion",
    created: 1_763_600_000,
    model,
    choices: [{ index: 0, text, logprobs: null, finish_reason: finish }],
  });

const lastChunkOf = (model: string) =>
  event({ object: "chat.completion.chunk", created: 1_763_600_000, model, choices: [], usage: USAGE });

/** The pieces of a whole stream that says "Hello!". */
export const streamOf = (model: string) => [
  chunkOf(model, { role: "assistant", content: "" }),
  chunkOf(model, { content: "Hel" }),
  chunkOf(model, { content: "lo!" }),
  chunkOf(model, {}, "stop"),
  lastChunkOf(model),
  "data: [DONE]\n\n",
];

const textStreamOf = (model: string) => [
  textChunkOf(model, "Hel"),
  textChunkOf(model, "lo!", "stop"),
  lastChunkOf(model),
  "data: [DONE]\n\n",
];

/** An answer of `model`, in the form the request asks for. */
export function answerFrom(model: string): Script {
  return (exchange) => {
    const { stream, prompt } = JSON.parse(exchange.request.body) as { stream?: boolean; prompt?: string };
    const isText = prompt !== undefined;
    if (stream === true) return eventReply(isText ? textStreamOf(model) : streamOf(model))(exchange);
    return jsonReply(isText ? textOf(model) : chatOf(model))(exchange);
  };
}

/** The gateway's error body. */
export const errorBody = (code: string, more: object = {}) => ({
  error: { message: `The test says ${code}.`, type: "test_error", code, param: null },
  request_id: REQUEST_ID,
  ...more,
});

export const failure = (status: number, code: string, more: object = {}, parts: ReplyParts = {}): Script =>
  jsonReply(errorBody(code, more), {
    ...parts,
    status,
    headers: { "x-request-id": REQUEST_ID, ...parts.headers },
  });

export const refusal: Script = (exchange) => exchange.reset();

export const silence: Script = () => {};

export const page: Script = reply({
  headers: { "content-type": "text/html" },
  body: "<html>Bad gateway, said politely</html>",
});
