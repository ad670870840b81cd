import { isJsonObject, type JsonObject, memberOf } from "../chat.js";
import { countOf, reportedCost, type TokenUsage } from "../token-usage.js";
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
export function usageOf(raw: unknown, quirks: Pick<Quirks, "reasoningTokens">): TokenUsage | null {
  if (!isJsonObject(raw)) return null;
  const prompt = countOf(raw.prompt_tokens);
  if (prompt === null) return null;
  const beyondPrompt = (countOf(raw.total_tokens) ?? -1) - prompt;
  const visible = countOf(raw.completion_tokens) ?? (beyondPrompt >= 0 ? beyondPrompt : null);
  if (visible === null) return null;
  const said = reasoningIn(raw);
  const completion =
    quirks.reasoningTokens === "included" ? visible : withReasoning(visible, said, beyondPrompt);
  const cacheReads = Math.min(cacheReadsIn(raw), prompt);
  const cacheWrites = Math.min(cacheWritesIn(raw), prompt - cacheReads);
  return {
    promptTokens: prompt,
    cacheReadTokens: cacheReads,
    cacheWriteTokens: cacheWrites,
    cacheWriteHourTokens: Math.min(hourWritesIn(raw), cacheWrites),
    completionTokens: completion,
    reasoningTokens: Math.min(said ?? completion - visible, completion),
    ...reportedCost(raw),
    details: detailsIn(raw),
  };
}

function detailsIn(raw: JsonObject): JsonObject {
  const details: Record<string, unknown> = {};
  for (const name of Object.keys(raw)) if (!OURS.has(name)) details[name] = raw[name];
  return details;
}

/** The total decides where there is one: should a provider change its ways, nothing is counted twice. */
function withReasoning(visible: number, said: number | null, beyondPrompt: number): number {
  return beyondPrompt >= visible ? beyondPrompt : visible + (said ?? 0);
}

function reasoningIn(raw: JsonObject): number | null {
  return (
    countOf(memberOf(raw.completion_tokens_details, "reasoning_tokens")) ?? countOf(raw.reasoning_tokens)
  );
}

/** OpenAI's name, DeepSeek's, Moonshot's, and that of Anthropic's models behind gateways. */
function cacheReadsIn(raw: JsonObject): number {
  return (
    countOf(memberOf(raw.prompt_tokens_details, "cached_tokens")) ??
    countOf(raw.prompt_cache_hit_tokens) ??
    countOf(raw.cached_tokens) ??
    countOf(raw.cache_read_input_tokens) ??
    0
  );
}

/** OpenRouter's name, and that of Anthropic's models behind gateways. */
function cacheWritesIn(raw: JsonObject): number {
  return (
    countOf(memberOf(raw.prompt_tokens_details, "cache_write_tokens")) ??
    countOf(raw.cache_creation_input_tokens) ??
    0
  );
}

const hourWritesIn = ({ cache_creation: creation }: JsonObject): number =>
  countOf(memberOf(creation, "ephemeral_1h_input_tokens")) ?? 0;
