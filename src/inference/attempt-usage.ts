/** Usage of one upstream call, as recorded in its attempt. */
import type { Price } from "../catalog/price.js";
import type { TokenUsage } from "../providers/token-usage.js";
import type { AttemptUsage, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";

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

/** Usage of a failed call, from the provider's count. */
export function reportedUsage(tokens: TokenUsage, price: Price | null): AttemptUsage {
  return {
    prompt_tokens: tokens.promptTokens,
    completion_tokens: tokens.completionTokens,
    total_cost_usd: costsOf(tokens, price).total_cost_usd,
  };
}

/** Usage of a failed call, from tokens counted by the gateway. */
export const countedUsage = (counted: CountedTokens, price: Price | null): AttemptUsage => ({
  ...reportedUsage({ ...NO_PARTS, ...counted }, price),
  estimated: true,
});

/** Usage of the call that answered. */
export const answerUsage = (usage: Usage): AttemptUsage => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_cost_usd: usage.total_cost_usd,
  ...(usage.estimated === true ? { estimated: true } : {}),
});
