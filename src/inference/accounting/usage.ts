import type { Price } from "../../catalog/price.js";
import { shownMs } from "../../foundation/timers.js";
import type { TokenUsage } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import { type CountedTokens, NO_PARTS } from "../attempt-usage.js";
import { costsOf } from "../cost.js";

export interface UsageFacts {
  /** Price of the deployment that answered; null when unknown. */
  readonly price: Price | null;
  /** From the arrival of the request to the end of the answer. */
  readonly latencyMs: number;
  /** From the arrival of the request to its first content. */
  readonly ttftMs: number;
}

/** The nine figures from the provider's count, with other members that it sent. */
export function usageOf(tokens: TokenUsage, { price, latencyMs, ttftMs }: UsageFacts): Usage {
  return {
    ...tokens.details,
    prompt_tokens: tokens.promptTokens,
    completion_tokens: tokens.completionTokens,
    total_tokens: tokens.promptTokens + tokens.completionTokens,
    ...costsOf(tokens, price),
    latency_ms: shownMs(latencyMs),
    ttft_ms: shownMs(ttftMs),
  };
}

/** The nine figures from tokens counted by the gateway, because the provider sent no count. */
export function estimatedUsageOf(
  { promptTokens, completionTokens }: CountedTokens,
  facts: UsageFacts,
): Usage {
  const tokens: TokenUsage = { ...NO_PARTS, promptTokens, completionTokens };
  return { ...usageOf(tokens, facts), estimated: true };
}
