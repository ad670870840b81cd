import type { Attempt, Trace } from "./trace.js";

/** What the calls of a request used together, failed ones too. */
export interface Billed {
  /** That used something. */
  readonly calls: number;
  /** Of these, those whose price is not known. */
  readonly unpriced: number;
  readonly tokens: number;
  /** US dollars of all calls whose price is known; null when none is, 0 without a call. */
  readonly costUsd: number | null;
}

export function billed(attempts: readonly Attempt[]): Billed {
  let [calls, unpriced, tokens, costUsd] = [0, 0, 0, 0];
  for (const { usage } of attempts) {
    if (usage === undefined) continue;
    calls += 1;
    tokens += usage.prompt_tokens + usage.completion_tokens;
    if (usage.total_cost_usd === null) unpriced += 1;
    else costUsd += usage.total_cost_usd;
  }
  return { calls, unpriced, tokens, costUsd: calls > 0 && calls === unpriced ? null : costUsd };
}

/** US dollars of all calls of a request whose price is known; null when none is, and for a decision alone. One that failed without using anything cost 0. */
export function billedCostUsd({ attempts, status }: Pick<Trace, "attempts" | "status">): number | null {
  const { calls, costUsd } = billed(attempts);
  return calls === 0 && status === "success" ? null : costUsd;
}
