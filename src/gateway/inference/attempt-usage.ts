/** Usage of one upstream call, as recorded in its attempt. */
import type { Price } from "../../engine/catalog/models/price.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { AttemptUsage, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";
import { type UsageBound, withinBound } from "./usage-bound.js";

export interface CountedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** Details of a count that are unknown. */
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

/** Usage of a failed call, from tokens counted by the gateway. */
export const countedUsage = (counted: CountedTokens, price: Price | null): AttemptUsage => ({
  ...attemptUsage({ ...NO_PARTS, ...counted }, price),
  estimated: true,
});

const attemptUsage = (tokens: TokenUsage, price: Price | null): AttemptUsage => ({
  prompt_tokens: tokens.promptTokens,
  completion_tokens: tokens.completionTokens,
  total_cost_usd: costsOf(tokens, price).total_cost_usd,
});

/** Usage of the call that answered. */
export const answerUsage = (usage: Usage): AttemptUsage => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_cost_usd: usage.total_cost_usd,
  ...(usage.estimated === true ? { estimated: true } : {}),
});
