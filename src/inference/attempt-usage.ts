/** What one upstream call used, as its attempt has it. */
import type { Price } from "../catalog/price.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { AttemptUsage, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";

export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Parts of a count that were not counted. */
export const NO_PARTS = {
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
  details: {},
} as const;

/** What a call that failed used, from what its provider counted. */
export function reportedUsage(tokens: TokenUsage, price: Price | null): AttemptUsage {
  return {
    prompt_tokens: tokens.promptTokens,
    completion_tokens: tokens.completionTokens,
    total_cost_usd: costsOf(tokens, price).total_cost_usd,
  };
}

/** The same from tokens counted here. */
export const countedUsage = (counted: CountedTokens, price: Price | null): AttemptUsage => ({
  ...reportedUsage({ ...NO_PARTS, ...counted }, price),
  estimated: true,
});

/** What the call that answered used. */
export const answerUsage = (usage: Usage): AttemptUsage => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_cost_usd: usage.total_cost_usd,
  ...(usage.estimated === true ? { estimated: true } : {}),
});
