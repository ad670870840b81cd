import { exactJson } from "../../../foundation/exact-numbers.js";
import { isJsonObject, type JsonObject, memberOf, objectsIn } from "../chat.js";
import { cutOff, LAST, type ObjectEvent, type OwnObject } from "../http/read-reply.js";
import type { StreamTranslator } from "../http/translated-stream.js";
import { wholeAnswer } from "../http/whole-answer.js";
import type { StreamEvent } from "../provider.js";
import type { ReplyOptions } from "./reply.js";
import { MessagesStream } from "./stream.js";

/**
 * A `message`, or the events of one, as a `chat.completion`: `tool_use` blocks become `tool_calls`; the text of thinking is
 * `reasoning_content`, and `thinking_blocks` has the blocks themselves with their signatures, which clients return when the
 * conversation continues. Blocks of other types (Anthropic's server tools) are omitted. Each choice has Anthropic's
 * `stop_reason` beside OpenAI's `finish_reason`.
 *
 * @throws ProviderFault `invalid_reply` when it is not a message, or the fault that an error in its place stands for
 */
export const toChatCompletion = (text: string, options: ReplyOptions) =>
  wholeAnswer(text, new OrderedMessage(new MessagesStream(options)));

/**
 * The events of Anthropic's dialect in the order that its clients insist on, whatever its imitators leave out or repeat: one
 * `message_start` (29 at Kimi: https://github.com/MoonshotAI/Kimi-K2.5/issues/33, 2026-03-30; none before the blocks:
 * https://github.com/NousResearch/hermes-agent/issues/72833, 2026-07-27), blocks that start and stop, one `message_stop`. A
 * whole message becomes its events.
 */
export class OrderedMessage implements StreamTranslator {
  readonly #open = new Set<unknown>();
  #started = false;
  #spoke = false;
  #stopReason = "end_turn";

  /** @param translator of events in order */
  constructor(private readonly translator: StreamTranslator) {}

  get complete(): boolean {
    return this.translator.complete;
  }

  read({ event, body }: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    if (event === LAST) return this.complete ? "finished" : "more";
    if (Array.isArray(body.content)) {
      for (const one of eventsOf(body)) this.#pass(one, events);
      return "finished";
    }
    body.type ??= event ?? undefined;
    const { type, index, delta } = body;
    if (type === "message_stop") {
      if (!this.#spoke && !this.complete) throw cutOff();
      return "finished";
    }
    const isBlock = String(type).startsWith("content_block_");
    if (type === "message_start" ? this.#started : isBlock && this.complete) return "more";
    if (!this.#started && (isBlock || type === "message_delta")) this.#pass(START, events);
    const block = BLOCKS.get(String(memberOf(delta, "type")).replace("_delta", ""));
    if (type === "content_block_delta" && block !== undefined && !this.#open.has(index))
      this.#pass({ type: "content_block_start", index, content_block: block }, events);
    if (typeof memberOf(delta, "stop_reason") === "string") this.#stopBlocks(events);
    completeStart(body);
    this.#pass(body, events);
    return "more";
  }

  end(events: StreamEvent[]): void {
    this.#stopBlocks(events);
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    if (!this.complete) this.#pass({ type: "message_delta", delta, usage: {} }, events);
    this.#pass({ type: "message_stop" }, events);
  }

  #stopBlocks(events: StreamEvent[]): void {
    for (const index of this.#open) this.#pass({ type: "content_block_stop", index }, events);
  }

  #pass(body: JsonObject, events: StreamEvent[]): void {
    const { type, index, content_block: block } = body;
    if (type === "message_start") this.#started = true;
    if (type === "content_block_start") {
      this.#open.add(index);
      this.#spoke = true;
    }
    if (type === "content_block_stop") this.#open.delete(index);
    if (memberOf(block, "type") === "tool_use") this.#stopReason = "tool_use";
    this.translator.read({ event: null, body }, events);
  }
}

const START: JsonObject = {
  type: "message_start",
  message: { type: "message", role: "assistant", content: [] },
};

/** How blocks start. */
const BLOCKS: ReadonlyMap<unknown, JsonObject> = new Map([
  ["text", { type: "text", text: "" }],
  ["thinking", { type: "thinking", thinking: "", signature: "" }],
  ["tool_use", { type: "tool_use", input: {} }],
]);

/**
 * Adds what clients fill: https://github.com/labring/aiproxy/pull/604 (2026-06-19),
 * https://github.com/SaladDay/cc-switch-cli/issues/323 (2026-07-03).
 */
function completeStart(body: OwnObject): void {
  const { content_block: block, message } = body;
  if (isJsonObject(block)) body.content_block = { ...BLOCKS.get(block.type), ...block };
  if (isJsonObject(message)) body.message = { ...message, content: message.content ?? [] };
}

function* eventsOf({ content, stop_reason, stop_sequence, stop_details, usage, ...head }: JsonObject) {
  yield { type: "message_start", message: { ...head, content: [], stop_reason: null, usage } };
  for (const [index, block] of objectsIn(content).entries()) {
    const content_block: Record<string, unknown> = { ...block };
    const deltas = DELTAS.filter(([member]) => block[member] !== undefined);
    for (const [member] of deltas) content_block[member] = member === "input" ? {} : "";
    yield { type: "content_block_start", index, content_block };
    for (const [member, type, name] of deltas) {
      const piece = member === "input" ? exactJson(block.input) : block[member];
      yield { type: "content_block_delta", index, delta: { type, [name]: piece } };
    }
    yield { type: "content_block_stop", index };
  }
  const delta = { stop_reason: stop_reason ?? "end_turn", stop_sequence, stop_details };
  yield { type: "message_delta", delta, usage };
}

/** Members of a whole block, and what they are in the events of one. */
const DELTAS = [
  ["text", "text_delta", "text"],
  ["thinking", "thinking_delta", "thinking"],
  ["signature", "signature_delta", "signature"],
  ["input", "input_json_delta", "partial_json"],
] as const;
