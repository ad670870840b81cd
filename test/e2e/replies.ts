/** What providers answer, whole and streamed, in the dialects of OpenAI and Anthropic. */
import { eventReply, jsonReply, reply, type Script, type UpstreamServer } from "../fakes/upstream-server.js";

/** Each request takes the next script; one too many fails. */
export function answerInTurn(upstream: UpstreamServer, ...scripts: readonly Script[]): void {
  const left = [...scripts];
  upstream.answer((exchange) => (left.shift() ?? reply({ status: 500, body: "no script left" }))(exchange));
}

/** The body of the request that came last. */
export const bodySeen = ({ lastRequest }: UpstreamServer): Readonly<Record<string, unknown>> =>
  JSON.parse(lastRequest.body);

/** The settings with which the provider `openai` is this server. */
export const asOpenAi = ({ origin }: UpstreamServer) => ({
  OPENAI_API_KEY: "sk-of-this-test",
  OPENAI_BASE_URL: `${origin}/v1`,
});

// OpenAI's

export const USAGE = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const head = { id: "chatcmpl-1", created: 1, model: "gpt-4o-mini" };

/** A chunk of a streamed chat completion. */
export const chatChunk = (delta: object, finish_reason: string | null = null): string =>
  event({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }] });

/** A chat completion whose one choice is this message. @param more further members, such as other usage */
export function chatReply(message: object, finish_reason = "stop", more: object = {}): Script {
  const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
  return jsonReply({ ...head, object: "chat.completion", choices, usage: USAGE, ...more });
}

/** A streamed chat completion of these deltas. */
export function chatStream(deltas: readonly object[], finish_reason = "stop"): Script {
  return eventReply([
    ...deltas.map((delta) => chatChunk(delta)),
    chatChunk({}, finish_reason),
    event({ ...head, object: "chat.completion.chunk", choices: [], usage: USAGE }),
    "data: [DONE]\n\n",
  ]);
}

/** A streamed chat completion that says "Hello" and stands still then. */
export const stalledStream = (): Script =>
  eventReply([chatChunk({ role: "assistant" }), chatChunk({ content: "Hello" })], { ending: "stall" });

/** One that says "Hello" and ends when it is told to. */
export function heldStream(): { readonly script: Script; finish(): void } {
  let finish: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const script: Script = async (exchange) => {
    await stalledStream()(exchange);
    await held;
    const rest = `${chatChunk({ content: " world" }, "stop")}data: [DONE]\n\n`;
    await exchange.write(`${Buffer.byteLength(rest).toString(16)}\r\n${rest}\r\n0\r\n\r\n`);
  };
  return { script, finish };
}

// Anthropic's

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-haiku-4-5-20251001",
  stop_sequence: null,
};

/** A message of these blocks. */
export function messageReply(content: readonly object[], stop_reason = "end_turn"): Script {
  return jsonReply({ ...message, content, stop_reason, usage: { input_tokens: 1000, output_tokens: 200 } });
}

/** A block of a streamed message: how it begins, and the deltas that follow. */
export interface StreamedBlock {
  readonly start: object;
  readonly deltas: readonly object[];
}

/** A streamed message of these blocks. */
export function messageStream(blocks: readonly StreamedBlock[], stop_reason = "end_turn"): Script {
  const said = (data: { readonly type: string; readonly [member: string]: unknown }) =>
    `event: ${data.type}\n${event(data)}`;
  const usage = { input_tokens: 1000, output_tokens: 1 };
  return eventReply([
    said({ type: "message_start", message: { ...message, content: [], stop_reason: null, usage } }),
    ...blocks.flatMap(({ start, deltas }, index) => [
      said({ type: "content_block_start", index, content_block: start }),
      ...deltas.map((delta) => said({ type: "content_block_delta", index, delta })),
      said({ type: "content_block_stop", index }),
    ]),
    said({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 200 },
    }),
    said({ type: "message_stop" }),
  ]);
}
