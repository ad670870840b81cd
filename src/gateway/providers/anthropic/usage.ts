import type { JsonObject } from "../chat.js";
import { serverToolCalls } from "../hosted-calls.js";
import { isJsonObject } from "../json-object.js";
import { servedBy } from "../service-tier.js";
import type { TokenUsage } from "../token-usage.js";

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
  const byAge = isJsonObject(usage.cache_creation) ? usage.cache_creation : {};
  const hour = count(byAge.ephemeral_1h_input_tokens);
  const cacheWriteTokens = Math.max(
    count(usage.cache_creation_input_tokens),
    hour + count(byAge.ephemeral_5m_input_tokens),
  );
  const completionTokens = count(usage.output_tokens);
  const hidden = isJsonObject(usage.output_tokens_details) ? usage.output_tokens_details.thinking_tokens : 0;
  const reasoningTokens = Math.min(count(hidden), completionTokens);
  return {
    promptTokens: count(usage.input_tokens) + cacheReadTokens + cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    cacheWriteHourTokens: hour,
    completionTokens,
    reasoningTokens,
    ...servedBy(usage.speed === "fast" ? "fast" : usage.service_tier),
    ...serverToolCalls(usage.server_tool_use),
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
  return { ...before, ...Object.fromEntries(Object.entries(update).filter(([, value]) => value !== null)) };
}

const count = (value: unknown): number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
