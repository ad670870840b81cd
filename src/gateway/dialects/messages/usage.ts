import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";
import type { Usage } from "../../traces/trace.js";

/**
 * Anthropic's counts, followed by ours. `input_tokens` leave out what was read from a prompt cache or written to one,
 * `prompt_tokens` include both.
 */
export function messagesUsage(usage: Usage): JsonObject {
  const details = isJsonObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const read = count(usage.cache_read_input_tokens) ?? count(details.cached_tokens) ?? 0;
  const written = count(usage.cache_creation_input_tokens) ?? count(details.cache_write_tokens) ?? 0;
  const counts = {
    input_tokens: Math.max(0, usage.prompt_tokens - read - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.completion_tokens,
  };
  return { ...counts, ...usage, ...counts };
}

/** What a stream begins with, before anything was counted. */
export const NO_USAGE: JsonObject = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
};

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
