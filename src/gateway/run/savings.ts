/** What the operator's baseline model would have cost for a routed answer. */
import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import { tokensInCache } from "../../engine/index.js";
import type { PreviousAnswer } from "../../engine/router/decision.js";
import { NO_PARTS, type TokenUsage } from "../providers/token-usage.js";
import type { Billed } from "../traces/billed-usage.js";
import type { TracedSavings, Usage } from "../traces/trace.js";
import { costsOf } from "./cost.js";
import type { ModelCatalog } from "./model-catalog.js";
import { billingOf } from "./usage.js";

/** The baseline as requests name it, and where its price and its cache are from. */
export interface CostBaseline {
  readonly model: string;
  readonly deployment: Deployment;
  readonly promptCache: ReturnType<ModelCatalog["factsAt"]>["promptCache"];
}

/** Undefined without a baseline, and while the catalog has no price for it. */
export function baselineOf(
  model: string | undefined,
  catalog: Pick<ModelCatalog, "deployments" | "factsAt">,
): CostBaseline | undefined {
  if (model === undefined) return undefined;
  const deployment = catalog.deployments(model).find(({ price }) => price !== null);
  if (deployment === undefined) return undefined;
  return { model, deployment, promptCache: catalog.factsAt(model, deployment.provider).promptCache };
}

/** A routed answer that is to be compared. */
export interface ComparedAnswer {
  readonly usage: Usage;
  /** As the provider counted them; null when it did not. */
  readonly tokens: TokenUsage | null;
  readonly bill: Pick<Billed, "costUsd" | "unpriced">;
  /** The answer before in the conversation, where another model or provider gave it; undefined otherwise. */
  readonly movedFrom: PreviousAnswer | undefined;
}

/**
 * Baseline less billed, exact to the picodollar: the same tokens at the baseline's prices, what was read from a cache at its
 * cached price. Where the conversation has moved, the baseline, which never moves, would still have had the earlier prompt in
 * its cache, by its provider's documented rule.
 *
 * @returns undefined where a cost is not known, or a bill is not complete
 */
export function savingsAgainst(baseline: CostBaseline, answer: ComparedAnswer): TracedSavings | undefined {
  const { usage, bill, movedFrom } = answer;
  const tokens = countedOf(answer);
  const billedUsd = bill.unpriced > 0 ? null : bill.costUsd;
  const { price, notCounted } = billingOf(baseline.deployment, tokens);
  if (billedUsd === null || price === null || notCounted.length > 0 || usage.not_counted !== undefined)
    return undefined;
  const lost = Math.max(0, cachedAt(baseline, { movedFrom, tokens }) - tokens.cacheReadTokens);
  const cacheReadTokens = tokens.cacheReadTokens + lost;
  const cacheWriteTokens = Math.min(tokens.cacheWriteTokens, tokens.promptTokens - cacheReadTokens);
  const { total_cost_usd: baselineUsd } = costsOf({ ...tokens, cacheReadTokens, cacheWriteTokens }, price);
  if (baselineUsd === null) return undefined;
  return {
    baseline_model: baseline.model,
    baseline_cost_usd: baselineUsd,
    saved_usd: (picodollars(baselineUsd) - picodollars(billedUsd)) / 1e12,
    lost_cache_tokens: lost,
  };
}

const picodollars = (usd: number): number => Math.round(usd * 1e12);

/** What was billed: never more than the call can have used, which the usage says. */
function countedOf({ usage, tokens }: ComparedAnswer): TokenUsage {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage;
  // The baseline is priced, whatever was charged for the answer.
  const { costUsd: _charged, ...counted } = tokens ?? { ...NO_PARTS, costUsd: undefined };
  const cacheReadTokens = Math.min(counted.cacheReadTokens, promptTokens);
  return { ...counted, promptTokens, completionTokens, cacheReadTokens };
}

/** Prompt tokens that the baseline would have in its cache, had it given the answer before; 0 where the conversation has not moved. */
function cachedAt(
  { promptCache: cache }: CostBaseline,
  {
    movedFrom,
    tokens: { promptTokens },
  }: Pick<ComparedAnswer, "movedFrom"> & { readonly tokens: TokenUsage },
): number {
  if (movedFrom === undefined || movedFrom.promptTokens <= 0 || cache === undefined) return 0;
  // Both counted by providers: what the router counted is of another size.
  const previous = { ...movedFrom, promptTokens: movedFrom.billedTokens };
  return Math.floor(tokensInCache(cache, { previous, promptTokens }));
}
