import { exactJson } from "../../../foundation/exact-numbers.js";
import {
  type ChatCompletion,
  isJsonObject,
  type JsonObject,
  memberOf,
  objectsIn,
  withoutNulls,
} from "../chat.js";
import { invalidReply, readReplyObject } from "../http/read-reply.js";
import { countOf, reportedCost, servedTier, serverToolCalls, type TokenUsage } from "../token-usage.js";

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
  const blocks = objectsIn(reply.content);
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
          content: answer === undefined ? joined(blocks, "text") : exactJson(answer.input),
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

/** OpenAI's finish reason; `stop` for unknown ones. A call of the answer tool alone does not count as a tool call. */
export function finishReason(
  stopReason: unknown,
  { answered, called }: { readonly answered: boolean; readonly called: boolean },
): string {
  return stopReason === "tool_use" && answered && !called
    ? "stop"
    : (FINISH_REASONS.get(stopReason) ?? "stop");
}

/** Anthropic's explanation of a refusal; null when there was none. */
export function refusalText({ stop_reason, stop_details }: JsonObject): string | null {
  const explanation = memberOf(stop_details, "explanation");
  return stop_reason === "refusal" && typeof explanation === "string" ? explanation : null;
}

function isAnswer({ type, name }: JsonObject, { answerTool }: ReplyOptions): boolean {
  return type === "tool_use" && answerTool !== null && name === answerTool;
}

function toToolCall({ id, name, input }: JsonObject): JsonObject {
  return { id, type: "function", function: { name, arguments: exactJson(input ?? {}) } };
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

/** Members of the usage object that are renamed, or would be confused with totals. */
const REPLACED: ReadonlySet<string> = new Set(["input_tokens", "output_tokens", "output_tokens_details"]);

/**
 * Converts Anthropic's usage to the common accounting: `input_tokens` exclude tokens read from and written to the
 * cache, `promptTokens` include both. The details have Anthropic's counts beside OpenAI's format.
 *
 * @param usage of a reply, or, for a stream, of its events merged by `mergedUsage`
 * @returns null when it has no valid count
 */
export function toTokenUsage(usage: unknown): TokenUsage | null {
  if (!isJsonObject(usage) || !("input_tokens" in usage || "output_tokens" in usage)) return null;
  const cacheReadTokens = count(usage.cache_read_input_tokens);
  const hour = count(memberOf(usage.cache_creation, "ephemeral_1h_input_tokens"));
  const cacheWriteTokens = Math.max(
    count(usage.cache_creation_input_tokens),
    hour + count(memberOf(usage.cache_creation, "ephemeral_5m_input_tokens")),
  );
  const completionTokens = count(usage.output_tokens);
  const hidden = count(memberOf(usage.output_tokens_details, "thinking_tokens"));
  const reasoningTokens = Math.min(hidden, completionTokens);
  return {
    promptTokens: count(usage.input_tokens) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: hour,
    completionTokens,
    reasoningTokens,
    ...servedTier(usage.speed === "fast" ? "fast" : usage.service_tier),
    ...serverToolCalls(usage.server_tool_use),
    ...reportedCost(usage),
    ...(usage.inference_geo === "us" ? { surcharges: ["inference_geo us"] } : {}),
    details: {
      prompt_tokens_details: { cached_tokens: cacheReadTokens },
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
      ...Object.fromEntries(
        Object.entries(usage).filter(([key, value]) => value !== null && !REPLACED.has(key)),
      ),
    },
  };
}

/** Merges the usage of a later event: its counts are cumulative and replace earlier ones; absent and null ones are kept. */
export function mergedUsage(before: JsonObject, update: unknown): JsonObject {
  if (!isJsonObject(update)) return before;
  return { ...before, ...withoutNulls(update) };
}

const count = (value: unknown): number => countOf(value) ?? 0;
