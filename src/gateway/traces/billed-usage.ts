import type { AttemptUsage, Trace } from "./trace.js";

/** What one call of a request is billed. */
export interface BilledCall extends Omit<AttemptUsage, "estimated" | "cost_reported"> {
  readonly model: string | null;
  readonly provider: string | null;
}

export type BilledTrace = Pick<Trace, "model" | "provider" | "status" | "usage" | "attempts">;

/** The calls of a request that used something: failed ones too. */
export function billedCalls({ model, provider, usage, attempts }: BilledTrace): readonly BilledCall[] {
  const calls: BilledCall[] = [];
  for (const attempt of attempts) if (attempt.usage !== undefined) calls.push(callOf(attempt.usage, attempt));
  if (calls.length === 0 && usage !== null) calls.push(callOf(usage, { model, provider }));
  return calls;
}

const callOf = (
  { prompt_tokens, completion_tokens, total_cost_usd }: Omit<AttemptUsage, "estimated" | "cost_reported">,
  { model, provider }: Pick<BilledCall, "model" | "provider">,
): BilledCall => ({ prompt_tokens, completion_tokens, total_cost_usd, model, provider });

/** US dollars of all calls whose price is known; null when none is. */
export function costUsdOf(calls: readonly BilledCall[]): number | null {
  let sum: number | null = null;
  for (const { total_cost_usd: cost } of calls) if (cost !== null) sum = (sum ?? 0) + cost;
  return sum;
}

/** Tokens of all calls. */
export const tokensOf = (calls: readonly BilledCall[]): number =>
  calls.reduce((sum, call) => sum + call.prompt_tokens + call.completion_tokens, 0);

/** US dollars of all calls of a request whose price is known; null when none is, and for a decision alone. One that failed without using anything cost 0. */
export function billedCostUsd(trace: BilledTrace): number | null {
  const calls = billedCalls(trace);
  return calls.length === 0 && trace.status !== "success" ? 0 : costUsdOf(calls);
}
