import { exactJson } from "../../../foundation/exact-numbers.js";
import { isJsonObject, type JsonObject } from "../chat.js";
import type { ObjectEvent } from "../http/read-reply.js";
import type { StreamTranslator } from "../http/translated-stream.js";
import type { StreamEvent } from "../provider.js";
import { finishReason, mergedUsage, type ReplyOptions, refusalText, toTokenUsage } from "./reply.js";

/** A content block that is not complete yet. Blocks of Anthropic's server tools are not included. */
type OpenBlock =
  | { readonly kind: "text" }
  | { readonly kind: "thinking"; readonly text: string[]; signature: string }
  | { readonly kind: "tool"; readonly index: number; readonly input: unknown; started: boolean }
  | { readonly kind: "answer"; readonly input: unknown; started: boolean };

/**
 * Converts the events of a streamed message to chunks that add up to what `toChatCompletion` returns for the whole
 * message.
 *
 * `thinking_blocks` are sent one by one, each whole, when it ends. Usage comes with the finish reason: the count at the
 * start of the stream excludes the answer, and would be taken for the count of an answer that breaks off. Unknown
 * events, blocks and deltas are ignored, as Anthropic requires of clients.
 */
export class MessagesStream implements StreamTranslator {
  readonly #blocks = new Map<unknown, OpenBlock>();
  #id: unknown;
  #model: unknown;
  #usage: JsonObject = {};
  #calls = 0;
  #answered = false;
  /** Text before the answer tool's call, which is part of the answer only if the call never comes. */
  #aside = "";
  complete = false;

  constructor(private readonly options: ReplyOptions) {}

  read({ body: data }: ObjectEvent, events: StreamEvent[]): "more" | "finished" {
    switch (data.type) {
      case "message_start":
        this.#start(data.message, events);
        break;
      case "content_block_start":
        this.#startBlock(data, events);
        break;
      case "content_block_delta":
        this.#readDelta(data, events);
        break;
      case "content_block_stop":
        this.#stopBlock(data.index, events);
        break;
      case "message_delta":
        this.#finish(data, events);
        break;
      case "message_stop":
        return "finished";
    }
    return "more";
  }

  #start(message: unknown, events: StreamEvent[]): void {
    if (!isJsonObject(message)) return;
    this.#id = message.id;
    this.#model = message.model;
    this.#usage = mergedUsage(this.#usage, message.usage);
    const reported = toTokenUsage(this.#usage);
    const usage = reported === null ? null : { ...reported, completionPending: true as const };
    events.push({ ...this.#chunk({ role: "assistant", content: "" }), usage });
  }

  #startBlock({ index, content_block: block }: JsonObject, events: StreamEvent[]): void {
    if (!isJsonObject(block)) return;
    switch (block.type) {
      case "text":
        this.#blocks.set(index, { kind: "text" });
        this.#say(block.text, events);
        break;
      case "thinking":
        this.#blocks.set(index, { kind: "thinking", text: [], signature: "" });
        break;
      case "redacted_thinking":
        events.push(this.#chunk({ thinking_blocks: [block] }));
        break;
      case "tool_use":
        this.#startCall(index, block, events);
        break;
    }
  }

  #startCall(index: unknown, { id, name, input }: JsonObject, events: StreamEvent[]): void {
    if (this.options.answerTool !== null && name === this.options.answerTool) {
      this.#answered = true;
      this.#blocks.set(index, { kind: "answer", input, started: false });
      return;
    }
    const call = { index: this.#calls, id, type: "function", function: { name, arguments: "" } };
    this.#blocks.set(index, { kind: "tool", index: this.#calls, input, started: false });
    this.#calls += 1;
    events.push(this.#chunk({ tool_calls: [call] }));
  }

  #readDelta({ index, delta }: JsonObject, events: StreamEvent[]): void {
    const block = this.#blocks.get(index);
    if (block === undefined || !isJsonObject(delta)) return;
    switch (delta.type) {
      case "text_delta":
        if (block.kind === "text") this.#say(delta.text, events);
        break;
      case "input_json_delta":
        if (block.kind === "tool" || block.kind === "answer")
          this.#readInput(block, delta.partial_json, events);
        break;
      case "thinking_delta":
        if (block.kind !== "thinking" || !isText(delta.thinking)) break;
        block.text.push(delta.thinking);
        events.push(this.#chunk({ reasoning_content: delta.thinking }));
        break;
      case "signature_delta":
        if (block.kind === "thinking" && isText(delta.signature)) block.signature += delta.signature;
        break;
    }
  }

  #say(text: unknown, events: StreamEvent[]): void {
    if (!isText(text)) return;
    if (this.options.answerTool === null) events.push(this.#chunk({ content: text }));
    else this.#aside += text;
  }

  #readInput(block: OpenBlock & { kind: "tool" | "answer" }, json: unknown, events: StreamEvent[]): void {
    if (!isText(json)) return;
    block.started = true;
    if (block.kind === "answer") events.push(this.#chunk({ content: json }));
    else events.push(this.#chunk({ tool_calls: [{ index: block.index, function: { arguments: json } }] }));
  }

  #stopBlock(index: unknown, events: StreamEvent[]): void {
    const block = this.#blocks.get(index);
    this.#blocks.delete(index);
    if (block?.kind === "thinking") {
      const whole = { type: "thinking", thinking: block.text.join(""), signature: block.signature };
      events.push(this.#chunk({ thinking_blocks: [whole] }));
    } else if ((block?.kind === "tool" || block?.kind === "answer") && !block.started) {
      // No input was streamed: it is empty, or came whole with the block's start.
      this.#readInput(block, exactJson(block.input ?? {}), events);
    }
  }

  #finish({ delta, usage }: JsonObject, events: StreamEvent[]): void {
    this.#usage = mergedUsage(this.#usage, usage);
    const reason = isJsonObject(delta) ? delta.stop_reason : null;
    if (!isJsonObject(delta) || !isText(reason)) return;
    if (!this.#answered && this.#aside !== "") events.push(this.#chunk({ content: this.#aside }));
    const refused = refusalText(delta);
    const last = this.#chunk(refused === null ? {} : { refusal: refused }, {
      finish_reason: finishReason(reason, { answered: this.#answered, called: this.#calls > 0 }),
      stop_reason: reason,
    });
    events.push({ ...last, usage: toTokenUsage(this.#usage) });
    this.complete = true;
  }

  #chunk(
    delta: JsonObject,
    finish: { readonly finish_reason: string | null; readonly stop_reason?: string } = {
      finish_reason: null,
    },
  ): StreamEvent {
    return {
      chunk: {
        id: this.#id,
        object: "chat.completion.chunk",
        created: this.options.created,
        model: this.#model,
        choices: [{ index: 0, delta, logprobs: null, ...finish }],
      },
      usage: null,
    };
  }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
