import { isJsonObject, memberOf } from "../chat.js";
import { countOf, countsWithin, firstCount, reportedCost, type TokenUsage } from "../token-usage.js";
import type { Quirks } from "./quirks.js";

/** Members of our own usage object, and one that is a trap. A provider's members of these names are not passed on. */
const OURS: ReadonlySet<string> = new Set([
  ...["prompt_tokens", "completion_tokens", "total_tokens", "latency_ms", "ttft_ms", "estimated"],
  ...["input_cost_usd", "output_cost_usd", "cache_input_cost_usd", "total_cost_usd", "tool_cost_usd"],
  ...["cost_reported", "not_counted", "__proto__"],
]);

/**
 * A provider's `usage` in our accounting. Where it names parts, no part is larger than its whole; a number that is no
 * count is as good as none.
 *
 * @returns null without a count of the prompt and one of the answer
 */
export function usageOf(reported: unknown, quirks: Pick<Quirks, "reasoningTokens">): TokenUsage | null {
  if (!isJsonObject(reported)) return null;
  const raw = countsWithin(reported);
  const prompt = countOf(raw.prompt_tokens);
  if (prompt === null) return null;
  const beyondPrompt = (countOf(raw.total_tokens) ?? -1) - prompt;
  const visible = countOf(raw.completion_tokens) ?? (beyondPrompt >= 0 ? beyondPrompt : null);
  if (visible === null) return null;
  const { prompt_tokens_details: promptParts, completion_tokens_details: parts } = raw;
  const said = firstCount(memberOf(parts, "reasoning_tokens"), raw.reasoning_tokens);
  const completion =
    quirks.reasoningTokens === "included" ? visible : withReasoning(visible, said, beyondPrompt);
  // OpenAI's name, DeepSeek's, Moonshot's, and that of Anthropic's models behind gateways.
  const named = [raw.prompt_cache_hit_tokens, raw.cached_tokens, raw.cache_read_input_tokens];
  const reads = firstCount(memberOf(promptParts, "cached_tokens"), ...named) ?? 0;
  const cacheReads = Math.min(reads, prompt);
  // OpenRouter's name, and that of Anthropic's models behind gateways.
  const written = [memberOf(promptParts, "cache_write_tokens"), raw.cache_creation_input_tokens];
  const cacheWrites = Math.min(firstCount(...written) ?? 0, prompt - cacheReads);
  const hourWrites = countOf(memberOf(raw.cache_creation, "ephemeral_1h_input_tokens")) ?? 0;
  return {
    promptTokens: prompt,
    cacheReadTokens: cacheReads,
    cacheWriteTokens: cacheWrites,
    cacheWriteHourTokens: Math.min(hourWrites, cacheWrites),
    completionTokens: completion,
    reasoningTokens: Math.min(said ?? completion - visible, completion),
    ...reportedCost(raw),
    details: {
      ...Object.fromEntries(Object.entries(raw).filter(([name]) => !OURS.has(name))),
      // Also under OpenAI's name, which is the one that clients read.
      ...(cacheReads > 0 && {
        prompt_tokens_details: { ...(isJsonObject(promptParts) && promptParts), cached_tokens: cacheReads },
      }),
    },
  };
}

/** The total decides where there is one: should a provider change its ways, nothing is counted twice. */
function withReasoning(visible: number, said: number | null, beyondPrompt: number): number {
  return beyondPrompt >= visible ? beyondPrompt : visible + (said ?? 0);
}
