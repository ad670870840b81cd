import type { AttemptUsage, Trace } from "./trace.js";

/** What one call of a request is billed. */
export interface BilledCall extends Omit<AttemptUsage, "estimated"> {
  readonly model: string | null;
  readonly provider: string | null;
}

export type BilledTrace = Pick<Trace, "model" | "provider" | "usage" | "attempts">;

/** The calls of a request that used something: failed ones too. */
export function billedCalls({ model, provider, usage, attempts }: BilledTrace): readonly BilledCall[] {
  const calls = attempts.flatMap((attempt) =>
    attempt.usage === undefined ? [] : { ...attempt.usage, model: attempt.model, provider: attempt.provider },
  );
  if (calls.length > 0 || usage === null) return calls;
  return [{ ...usage, model, provider }];
}

/** US dollars of all calls of a request whose price is known; null when none is. */
export function billedCostUsd(trace: BilledTrace): number | null {
  let sum: number | null = null;
  for (const { total_cost_usd: cost } of billedCalls(trace)) if (cost !== null) sum = (sum ?? 0) + cost;
  return sum;
}

/** Tokens of all calls of a request. */
export function billedTokens(trace: BilledTrace): number {
  return billedCalls(trace).reduce((sum, call) => sum + call.prompt_tokens + call.completion_tokens, 0);
}
