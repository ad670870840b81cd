import {
  type ChatChunk,
  isJsonObject,
  type JsonObject,
  objectsIn,
  sealedIn,
  textOf,
} from "../../providers/chat.js";
import type { Usage } from "../../traces/trace.js";
import { extraContentOf } from "../extra-content.js";
import { eventText } from "../server-event.js";
import { messagesUsage, NO_USAGE, redacted, stopDetails, toStop } from "./reply.js";
import { StreamBlock, toolUseId } from "./stream-block.js";

export interface MessageStart {
  /** Default 0. */
  readonly inputTokens?: number;
  /** Further members of the message, such as `routing`. */
  readonly extras?: JsonObject;
}

/**
 * The chunks of one streamed answer as Anthropic's events; each method returns the text of those to send now. Put together
 * they are what `messageFromChat` makes of the whole answer, but that text and thinking stand where they came, and
 * arguments that are no JSON object are sent as they are.
 *
 * Anthropic's blocks do not overlap, while the pieces of several tool calls may come in turns. So only the first block
 * that has not ended is sent as it comes; later ones wait. A call whose arguments are whole ends as soon as something else
 * begins, so that servers that send one call after the other, as nearly all do, lose no time by it.
 */
export class MessageEvents {
  /** Blocks that have not ended, in order. */
  readonly #open: StreamBlock[] = [];
  #blocks = 0;
  /** A block began since it was last seen which ones have ended. */
  #started = false;
  /** By index. */
  readonly #calls = new Map<unknown, StreamBlock>();
  /** White space that is left out unless text follows. */
  #blank = "";
  #hasText = false;
  #refusal = "";
  /** The choice that came with a finish reason. */
  #ending: JsonObject = {};

  constructor(private readonly facts: { readonly id: string; readonly model: string }) {}

  /**
   * `message_start`. Nothing is counted yet: its usage has an estimate of the prompt and is otherwise zeros; that of `message_delta` counts.
   * LangChain reads the prompt here alone (`@langchain/anthropic` 1.x, `utils/message_outputs`, 2026-11-23).
   */
  start({ inputTokens = 0, extras = {} }: MessageStart = {}): string {
    const message = {
      ...this.facts,
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { ...NO_USAGE, input_tokens: inputTokens },
      ...extras,
    };
    return eventText({ type: "message_start", message });
  }

  /** Empty when nothing of the chunk can be said yet. Of several choices only the first counts. */
  chunk({ choices }: ChatChunk): string {
    for (const choice of choices) {
      if (choice.index !== 0) continue;
      this.#read(choice.delta);
      if (typeof choice.finish_reason === "string") this.#ending = choice;
    }
    return this.#sendable();
  }

  /** What still waits, `message_delta` with the usage, and `message_stop`. */
  end(usage: Usage): string {
    if (!this.#hasText && this.#refusal.trim() !== "") this.#last("text").add(this.#refusal);
    const waiting = this.#open.map((block) => block.stop()).join("");
    const stop = toStop(this.#ending, { called: this.#calls.size > 0, refused: this.#refusal !== "" });
    const delta = { ...stop, stop_details: stopDetails(stop, this.#refusal) };
    const last = eventText({ type: "message_delta", delta, usage: messagesUsage(usage) });
    return waiting + last + eventText({ type: "message_stop" });
  }

  #read(delta: JsonObject): void {
    const reasoning = textOf(delta.reasoning_content);
    if (reasoning !== "") this.#last("thinking").add(reasoning);
    for (const block of objectsIn(delta.thinking_blocks)) this.#addThinkingBlock(block);
    for (const seal of sealedIn(delta)) this.#seal(seal);
    this.#addText(textOf(delta.content));
    for (const call of objectsIn(delta.tool_calls)) this.#addCall(call);
    if (typeof delta.refusal === "string") this.#refusal += delta.refusal;
  }

  #addText(text: string): void {
    if (text === "") return;
    const whole = this.#blank + text;
    if (whole.trim() === "" && this.#open.at(-1)?.kind !== "text") {
      this.#blank = whole;
      return;
    }
    this.#blank = "";
    this.#hasText = true;
    this.#last("text").add(whole);
  }

  /** It comes whole: after its text, which was streamed as reasoning, or, without that, alone. */
  #addThinkingBlock(block: JsonObject): void {
    if (block.type === "redacted_thinking") {
      this.#begin("redacted_thinking", block);
      return;
    }
    const last = this.#open.at(-1);
    if (last?.kind === "thinking" && !last.isSigned) {
      last.sign(block.signature);
      return;
    }
    const alone = this.#begin("thinking", EMPTY.thinking);
    if (typeof block.thinking === "string") alone.add(block.thinking);
    alone.sign(block.signature);
  }

  /** Signs the thinking that it belongs to, if that was shown. */
  #seal(seal: string): void {
    const last = this.#open.at(-1);
    if (last?.kind === "thinking" && !last.isSigned) last.sign(seal);
    else this.#begin("redacted_thinking", redacted(seal));
  }

  #addCall(piece: JsonObject): void {
    const { index, function: called } = piece;
    if (!isJsonObject(called)) return;
    const block = this.#calls.get(index) ?? this.#beginCall(piece, called.name);
    if (typeof called.arguments === "string") block.add(called.arguments);
  }

  #beginCall(piece: JsonObject, name: unknown): StreamBlock {
    const block = this.#begin("tool_use", {
      type: "tool_use",
      id: toolUseId(piece.id, { messageId: this.facts.id, place: this.#calls.size }),
      name,
      input: {},
      ...extraContentOf(piece),
    });
    this.#calls.set(piece.index, block);
    return block;
  }

  /** The last block if it is of that kind and may go on, else a new one. */
  #last(kind: "text" | "thinking"): StreamBlock {
    const last = this.#open.at(-1);
    return last?.kind === kind && !last.isSigned ? last : this.#begin(kind, EMPTY[kind]);
  }

  #begin(kind: StreamBlock["kind"], begin: JsonObject): StreamBlock {
    const block = new StreamBlock(kind, { index: this.#blocks, begin });
    this.#blocks += 1;
    this.#started = true;
    this.#open.push(block);
    return block;
  }

  #sendable(): string {
    let text = "";
    // Only then: to see whether a call has ended, its arguments are read.
    if (this.#started) {
      while (this.#open.length > 1 && this.#open[0]?.isWhole === true)
        text += this.#open.shift()?.stop() ?? "";
      this.#started = false;
    }
    return text + (this.#open[0]?.unsent() ?? "");
  }
}

const EMPTY = {
  text: { type: "text", text: "" },
  thinking: { type: "thinking", thinking: "", signature: "" },
} as const;
