import type { ChatCompletion, JsonObject } from "../chat.js";
import { invalidReply, readReplyObject } from "../http/reply-object.js";
import { isJsonObject } from "../json-object.js";
import type { TokenUsage } from "../token-usage.js";
import { toTokenUsage } from "./usage.js";

export interface ReplyOptions {
  /** Name of the answer tool in the request. */
  readonly answerTool: string | null;
  /** Seconds since the epoch; Anthropic's replies have no date. */
  readonly created: number;
}

/**
 * Converts a `message` to a `chat.completion`. Pure.
 *
 * Text blocks are joined; `tool_use` blocks become `tool_calls`; the text of thinking is `reasoning_content`, and
 * `thinking_blocks` has the blocks themselves with their signatures, which clients return with the message when the
 * conversation continues after a tool call. Blocks of other types (Anthropic's server tools) are omitted. Each choice
 * has Anthropic's `stop_reason` beside OpenAI's `finish_reason`.
 *
 * @throws ProviderFault `invalid_reply` when it is not a message, or the fault that an error in its place stands for
 */
export function toChatCompletion(
  text: string,
  options: ReplyOptions,
): { readonly completion: ChatCompletion; readonly usage: TokenUsage | null } {
  const reply = readReplyObject(text);
  if (!Array.isArray(reply.content)) throw invalidReply("a message without content");
  const blocks = reply.content.filter(isJsonObject);
  const answer = blocks.find((block) => isAnswer(block, options));
  const calls = blocks.filter((block) => block.type === "tool_use" && !isAnswer(block, options));
  const completion: ChatCompletion = {
    id: reply.id,
    object: "chat.completion",
    created: options.created,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: answer === undefined ? joined(blocks, "text") : JSON.stringify(answer.input),
          refusal: refusalText(reply),
          ...thoughts(blocks),
          ...(calls.length === 0 ? {} : { tool_calls: calls.map(toToolCall) }),
        },
        logprobs: null,
        finish_reason: finishReason(reply.stop_reason, {
          answered: answer !== undefined,
          called: calls.length > 0,
        }),
        stop_reason: reply.stop_reason ?? null,
      },
    ],
  };
  return { completion, usage: toTokenUsage(reply.usage) };
}

/** The finish reason. A call of the answer tool alone does not count as a tool call. */
export function finishReason(
  stopReason: unknown,
  { answered, called }: { readonly answered: boolean; readonly called: boolean },
): string {
  return stopReason === "tool_use" && answered && !called ? "stop" : toFinishReason(stopReason);
}

/** Anthropic's explanation of a refusal; null when there was none. */
export function refusalText({ stop_reason, stop_details }: JsonObject): string | null {
  const explanation = isJsonObject(stop_details) ? stop_details.explanation : undefined;
  return stop_reason === "refusal" && typeof explanation === "string" ? explanation : null;
}

function isAnswer({ type, name }: JsonObject, { answerTool }: ReplyOptions): boolean {
  return type === "tool_use" && answerTool !== null && name === answerTool;
}

function toToolCall({ id, name, input }: JsonObject): JsonObject {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

function thoughts(blocks: readonly JsonObject[]): JsonObject {
  const thinking = blocks.filter(({ type }) => type === "thinking" || type === "redacted_thinking");
  if (thinking.length === 0) return {};
  const text = joined(blocks, "thinking");
  return { ...(text === null ? {} : { reasoning_content: text }), thinking_blocks: thinking };
}

/** The texts of the blocks of one type; null without any text. */
function joined(blocks: readonly JsonObject[], type: "text" | "thinking"): string | null {
  const texts = blocks.filter((block) => block.type === type).map((block) => block[type]);
  const text = texts.filter((value) => typeof value === "string").join("");
  return text === "" ? null : text;
}

const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  // Anthropic's own tools took too long: the answer is not whole. Sent back as it is, it would be continued.
  ["pause_turn", "length"],
  ["tool_use", "tool_calls"],
  ["refusal", "content_filter"],
]);

/** Maps a `stop_reason` to OpenAI's finish reason; `stop` for unknown ones. */
function toFinishReason(stopReason: unknown): string {
  return FINISH_REASONS.get(stopReason) ?? "stop";
}
