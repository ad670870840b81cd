/** What a gateway, or something in its place, may answer; bodies have the wire contract's form. */
import { USAGE as ANSWERED } from "../fakes/inference.js";
import { eventReply, jsonReply, type ReplyParts, reply, type Script } from "../fakes/upstream-server.js";

const USAGE = { ...ANSWERED, latency_ms: 41.5, ttft_ms: 40.25 };

const REQUEST_ID = "req_01K7Z0000000000000000000AB";

/** What every reply and every chunk of a stream has. */
const bodyOf = <Parts extends { readonly choices: readonly object[] }>(
  model: string,
  object: string,
  parts: Parts,
) => ({
  id: "cmpl-01K7Z0000000000000000000AB",
  object,
  created: 1_763_600_000,
  model,
  ...parts,
});
const BILLED = { provider: "openai", usage: USAGE, request_id: REQUEST_ID };
const textChoice = (text: string, finish_reason: string | null) => ({
  choices: [{ index: 0, text, logprobs: null, finish_reason }],
});

export const chatOf = (model: string) => {
  const message = { role: "assistant", content: "Hello!" };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return bodyOf(model, "chat.completion", { choices, ...BILLED });
};

const textOf = (model: string) =>
  bodyOf(model, "text_completion", { ...textChoice("Hello!", "stop"), ...BILLED });

export const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

export const chunkOf = (model: string, delta: object, finish_reason: string | null = null) =>
  event(bodyOf(model, "chat.completion.chunk", { choices: [{ index: 0, delta, finish_reason }] }));

const textChunkOf = (model: string, text: string, finish: string | null = null) =>
  event(bodyOf(model, "text_completion", textChoice(text, finish)));

const lastChunkOf = (model: string) =>
  event(bodyOf(model, "chat.completion.chunk", { choices: [], ...BILLED }));

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
