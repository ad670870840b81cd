import type { Price } from "../../../engine/catalog/models/price.js";
import { shownMs } from "../../../foundation/timers.js";
import { countsWithin, type TokenUsage } from "../../providers/token-usage.js";
import type { Usage } from "../../traces/trace.js";
import { type CountedTokens, NO_PARTS } from "../attempt-usage.js";
import { costsOf } from "../cost.js";
import { type UsageBound, withinBound } from "../usage-bound.js";

export interface UsageFacts {
  /** Price of the deployment that answered; null when unknown. */
  readonly price: Price | null;
  /** What the provider bills beside that. Default: nothing. */
  readonly notCounted?: readonly string[];
  readonly bound: UsageBound;
  /** From the arrival of the request to the end of the answer. */
  readonly latencyMs: number;
  /** From the arrival of the request to its first content. */
  readonly ttftMs: number;
}

/**
 * The nine figures from what the provider counted, and beside them whatever else it sent. Estimated when a count is larger than
 * the call can have used: it is then the most that it can.
 */
export function usageOf(
  reported: TokenUsage,
  { price, notCounted = [], bound, latencyMs, ttftMs }: UsageFacts,
): Usage {
  const tokens = withinBound(reported, bound);
  return {
    ...countsWithin(tokens.details, { prompt: tokens.promptTokens, completion: tokens.completionTokens }),
    prompt_tokens: tokens.promptTokens,
    completion_tokens: tokens.completionTokens,
    total_tokens: tokens.promptTokens + tokens.completionTokens,
    ...costsOf(tokens, price),
    ...(tokens.serviceTier === undefined ? {} : { service_tier: tokens.serviceTier }),
    ...(notCounted.length === 0 ? {} : { not_counted: notCounted }),
    latency_ms: shownMs(latencyMs),
    ttft_ms: shownMs(ttftMs),
    ...(tokens === reported ? {} : { estimated: true }),
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
