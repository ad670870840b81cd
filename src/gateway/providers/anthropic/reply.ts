import { isJsonObject, type JsonObject, memberOf, withoutNulls } from "../chat.js";
import {
  countOf,
  countsWithin,
  reportedCost,
  servedTier,
  serverToolCalls,
  type TokenUsage,
} from "../token-usage.js";

export interface ReplyOptions {
  /** Name of the answer tool in the request. */
  readonly answerTool: string | null;
  /** Seconds since the epoch; Anthropic's replies have no date. */
  readonly created: number;
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
 * @param reported of a reply, or, for a stream, of its events merged by `mergedUsage`
 * @returns null when it has no valid count
 */
export function toTokenUsage(reported: unknown): TokenUsage | null {
  const usage = isJsonObject(reported) ? countsWithin(reported) : {};
  if (!("input_tokens" in usage || "output_tokens" in usage)) return null;
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
  return { ...before, ...withoutNulls(countsWithin(update)) };
}

const count = (value: unknown): number => countOf(value) ?? 0;
