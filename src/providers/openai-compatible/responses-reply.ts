/** Replies of OpenAI's Responses API, read for traces and usage; the client gets them as they are. */
import type { ChatChunk, ChatCompletion, JsonObject } from "../chat.js";
import { faultInReply } from "../http/fault.js";
import { invalidReply, readReplyObject } from "../http/reply-object.js";
import type { ServerEvent } from "../http/server-events.js";
import type { StreamTranslator } from "../http/translated-stream.js";
import { isJsonObject } from "../json-object.js";
import type { StreamEvent } from "../provider.js";
import type { TokenUsage } from "../token-usage.js";

/** @throws ProviderFault `invalid_reply` when it is no response, and what an error in it says */
export function readResponse(text: string): {
  readonly completion: ChatCompletion;
  readonly usage: TokenUsage | null;
} {
  const response = readReplyObject(text);
  if (!Array.isArray(response.output)) throw invalidReply("a response without output");
  const items = response.output.filter(isJsonObject);
  const said = (type: string, member: string): string =>
    items
      .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []))
      .filter((part) => part.type === type)
      .map((part) => (typeof part[member] === "string" ? part[member] : ""))
      .join("");
  const calls = items.filter(isCall).map(toolCallOf);
  const reasoning = reasoningOf(items);
  const refusal = said("refusal", "refusal");
  const message = {
    role: "assistant",
    content: said("output_text", "text"),
    ...(refusal === "" ? {} : { refusal }),
    ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const completion: ChatCompletion = {
    choices: [{ index: 0, message, finish_reason: finishReasonOf(response, calls.length > 0) }],
    native: response,
  };
  return { completion, usage: responseUsage(response.usage) };
}

/** The events of a streamed response as chunks. */
export class ResponsesStream implements StreamTranslator {
  /** By the item's index in the output: the call's among calls. */
  readonly #calls = new Map<unknown, number>();
  /** Which part of a reasoning item the last reasoning belonged to, as JSON; null before any. */
  #reasoningPart: string | null = null;
  #complete = false;

  get complete(): boolean {
    return this.#complete;
  }

  read({ event, data }: ServerEvent, events: StreamEvent[]): "more" | "finished" {
    const body = readReplyObject(data);
    const type = typeof body.type === "string" ? body.type : event;
    switch (type) {
      case "response.output_text.delta":
        push(events, { content: body.delta });
        break;
      case "response.refusal.delta":
        push(events, { refusal: body.delta });
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        this.#addReasoning(body, events);
        break;
      case "response.output_item.added":
        this.#begin(body, events);
        break;
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        push(events, {
          tool_calls: [
            { index: this.#calls.get(body.output_index) ?? 0, function: { arguments: body.delta } },
          ],
        });
        break;
      case "response.completed":
      case "response.incomplete":
        this.#finish(body.response, events);
        return "finished";
      case "response.failed":
        throw faultInReply(isJsonObject(body.response) ? body.response : body);
      case "error":
        throw faultInReply(body);
    }
    return "more";
  }

  #begin({ item, output_index: at }: JsonObject, events: StreamEvent[]): void {
    if (!isJsonObject(item) || !isCall(item)) return;
    const index = this.#calls.size;
    this.#calls.set(at, index);
    push(events, { tool_calls: [{ index, ...toolCallOf(item) }] });
  }

  #addReasoning(
    { type, output_index, summary_index, content_index, delta }: JsonObject,
    events: StreamEvent[],
  ): void {
    const part = JSON.stringify([type, output_index, summary_index, content_index]);
    const isNext = this.#reasoningPart !== null && this.#reasoningPart !== part;
    this.#reasoningPart = part;
    if (isNext) push(events, { reasoning_content: BETWEEN_PARTS });
    push(events, { reasoning_content: delta });
  }

  #finish(response: unknown, events: StreamEvent[]): void {
    this.#complete = true;
    const whole = isJsonObject(response) ? response : {};
    const finish_reason = finishReasonOf(whole, this.#calls.size > 0);
    events.push({ chunk: chunkOf({}, finish_reason), usage: responseUsage(whole.usage) });
  }
}

/** Each part is a paragraph or several, with a heading of its own. */
const BETWEEN_PARTS = "\n\n";

/** The summaries of reasoning, and the reasoning itself where the server gives it. */
function reasoningOf(items: readonly JsonObject[]): string {
  const parts = items
    .filter(({ type }) => type === "reasoning")
    .flatMap(({ summary, content }) => [summary, content])
    .flatMap((list): unknown[] => (Array.isArray(list) ? list : []))
    .flatMap((part) => (isJsonObject(part) && typeof part.text === "string" ? [part.text] : []));
  return parts.filter((text) => text !== "").join(BETWEEN_PARTS);
}

function push(events: StreamEvent[], delta: JsonObject): void {
  events.push({ chunk: chunkOf(delta, null), usage: null });
}

const chunkOf = (delta: JsonObject, finish_reason: string | null): ChatChunk => ({
  choices: [{ index: 0, delta, finish_reason }],
});

const isCall = ({ type }: JsonObject): boolean => type === "function_call" || type === "custom_tool_call";

function toolCallOf({ call_id: id, name, arguments: given, input }: JsonObject): JsonObject {
  return { id, type: "function", function: { name, arguments: given ?? input ?? "" } };
}

function finishReasonOf({ status, incomplete_details: details }: JsonObject, called: boolean): string | null {
  if (status === "incomplete") {
    return isJsonObject(details) && details.reason === "content_filter" ? "content_filter" : "length";
  }
  if (status !== "completed") return null;
  return called ? "tool_calls" : "stop";
}

/** `input_tokens` include cached ones, `output_tokens` reasoning, as in chat. Null without both counts. */
export function responseUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage)) return null;
  const { input_tokens: input, output_tokens: output } = usage;
  if (!isCount(input) || !isCount(output)) return null;
  const cacheReadTokens = Math.min(partOf(usage.input_tokens_details, "cached_tokens"), input);
  const reasoningTokens = Math.min(partOf(usage.output_tokens_details, "reasoning_tokens"), output);
  return {
    promptTokens: input,
    cacheReadTokens,
    cacheWriteTokens: 0,
    cacheWriteHourTokens: 0,
    completionTokens: output,
    reasoningTokens,
    details: {
      prompt_tokens_details: { cached_tokens: cacheReadTokens },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    },
  };
}

function partOf(details: unknown, member: string): number {
  const value = isJsonObject(details) ? details[member] : undefined;
  return isCount(value) ? value : 0;
}

const isCount = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
