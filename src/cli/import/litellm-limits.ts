/** What limits deployments and spending in LiteLLM's configuration, as `model_limits` and `budgets` of ours. */
import type { LiteLlmConfig, LiteLlmEntry } from "./litellm-config.js";

export interface ImportedModelLimit {
  readonly model: string;
  /** Where several serve the model. */
  readonly provider?: string;
  readonly total_timeout_ms?: number;
  readonly first_token_timeout_ms?: number;
  readonly max_concurrency?: number;
}

export type Limits = Omit<ImportedModelLimit, "model" | "provider">;

export interface ImportedBudget {
  readonly name: string;
  readonly by: "all";
  readonly usd: number;
  readonly period: "day" | "week" | "month";
}

const DAY_MS = 86_400_000;

interface LimitHere {
  readonly name: keyof Limits;
  readonly factor: number;
  /** No start takes more. */
  readonly most: number;
}

/**
 * In seconds there: `timeout` for the whole answer, `stream_timeout` to the first chunk of a stream:
 * https://docs.litellm.ai/docs/proxy/timeout, an excerpt of which was seen on 2026-11-27.
 */
const MODEL_LIMITS: Readonly<Record<string, LimitHere>> = {
  timeout: { name: "total_timeout_ms", factor: 1000, most: DAY_MS },
  stream_timeout: { name: "first_token_timeout_ms", factor: 1000, most: DAY_MS },
  max_parallel_requests: { name: "max_concurrency", factor: 1, most: Number.MAX_SAFE_INTEGER },
};

/**
 * By their parameter, those that can be imported: no variables, and nothing out of range.
 *
 * @param without what is imported otherwise
 */
export function limitsOf(
  { litellm_params: given }: LiteLlmEntry,
  without: object,
): Readonly<Record<string, Limits>> {
  const limits = Object.entries(MODEL_LIMITS).flatMap(([theirs, { name, factor, most }]) => {
    const value = Math.ceil(Number(given[theirs]) * factor);
    return value > 0 && value <= most && !(theirs in without) ? [[theirs, { [name]: value }]] : [];
  });
  return Object.fromEntries(limits);
}

const PERIODS: readonly (readonly [duration: RegExp, period: ImportedBudget["period"]])[] = [
  [/^(?:1d|24h)$/, "day"],
  [/^(?:7d|1w)$/, "week"],
  [/^(?:30d|31d|1mo)$/, "month"],
];

/** Of the whole proxy. Undefined where there is none, or where it is for another time than a day, a week or a month. */
export function budgetOf({ litellm_settings: given }: LiteLlmConfig): ImportedBudget | undefined {
  const usd = Number(given?.max_budget);
  const period = PERIODS.find(([duration]) => duration.test(String(given?.budget_duration)))?.[1];
  return usd > 0 && period !== undefined ? { name: "litellm", by: "all", usd, period } : undefined;
}
