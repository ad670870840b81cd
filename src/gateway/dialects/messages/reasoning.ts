import type { JsonObject } from "../../providers/chat.js";
import { isJsonObject } from "../../providers/json-object.js";

/**
 * The least budgets of thinking tokens for which an effort is asked, highest first: what `providers/anthropic/thinking.ts`
 * gives for these efforts. No budget asks for more than `high`, which every reasoning model knows.
 */
const EFFORTS_BY_BUDGET = [
  [16_384, "high"],
  [4_096, "medium"],
  [0, "low"],
] as const;

/** What adaptive thinking does when `output_config` names no effort. platform.claude.com/docs/en/build-with-claude/effort */
const ADAPTIVE_EFFORT = "high";

/**
 * The effort that `thinking` and `output_config.effort` ask for; the latter counts more than a budget. Null leaves the model
 * to its own ways: nothing was asked for, or thinking is off, for which models have no common word.
 */
export function reasoningEffort(thinking: unknown, outputConfig: unknown): string | null {
  const asked: JsonObject = isJsonObject(thinking) ? thinking : {};
  const effort = isJsonObject(outputConfig) ? outputConfig.effort : null;
  if (asked.type === "disabled") return null;
  if (typeof effort === "string") return effort;
  if (asked.type === "adaptive") return ADAPTIVE_EFFORT;
  const budget = asked.budget_tokens;
  if (asked.type !== "enabled" || typeof budget !== "number") return null;
  return EFFORTS_BY_BUDGET.find(([least]) => budget >= least)?.[1] ?? null;
}
