import type { JsonObject } from "./chat.js";

/**
 * A provider's token counts for one answer, with the same meaning for all dialects. Whole numbers ≥ 0.
 *
 * Anthropic's `input_tokens` leave cached ones out and OpenAI's `prompt_tokens` include them; xAI's `completion_tokens`
 * leave reasoning out and OpenAI's include it. Adapters translate: here every total includes its parts.
 */
export interface TokenUsage {
  /** All prompt tokens: fresh ones, cache reads and cache writes. */
  readonly promptTokens: number;
  /** Part of `promptTokens`: read from the provider's prompt cache. */
  readonly cacheReadTokens: number;
  /** Part of `promptTokens`: written to the provider's prompt cache, `cacheWriteHourTokens` included. */
  readonly cacheWriteTokens: number;
  /** Part of `cacheWriteTokens`: written to be kept for an hour, which costs more. */
  readonly cacheWriteHourTokens: number;
  /** All generated tokens, hidden reasoning included. */
  readonly completionTokens: number;
  /** Part of `completionTokens`. */
  readonly reasoningTokens: number;
  /** The provider told it before it generated the answer: `completionTokens` are not those of the whole answer. */
  readonly completionPending?: true;
  /** Members of the provider's usage object that clients may read beside the counts (`prompt_tokens_details`, …). */
  readonly details: JsonObject;
}
