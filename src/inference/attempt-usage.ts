/** What one upstream call used, as its attempt has it. */
import type { Price } from "../catalog/models/price.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { AttemptUsage, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";
import { type UsageBound, withinBound } from "./usage-bound.js";

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

/** What a call that failed used, from what its provider counted: estimated when it cannot have used that much. */
export function reportedUsage(
  tokens: TokenUsage,
  { price, bound }: { readonly price: Price | null; readonly bound: UsageBound },
): AttemptUsage {
  const possible = withinBound(tokens, bound);
  return { ...attemptUsage(possible, price), ...(possible === tokens ? {} : { estimated: true }) };
}

/** The same from tokens counted here. */
export const countedUsage = (counted: CountedTokens, price: Price | null): AttemptUsage => ({
  ...attemptUsage({ ...NO_PARTS, ...counted }, price),
  estimated: true,
});

const attemptUsage = (tokens: TokenUsage, price: Price | null): AttemptUsage => ({
  prompt_tokens: tokens.promptTokens,
  completion_tokens: tokens.completionTokens,
  total_cost_usd: costsOf(tokens, price).total_cost_usd,
});

/** What the call that answered used. */
export const answerUsage = (usage: Usage): AttemptUsage => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_cost_usd: usage.total_cost_usd,
  ...(usage.estimated === true ? { estimated: true } : {}),
});
