import type { PromptOutcomes } from "../outcomes/outcome-set.js";

/** Expected quality and cost of models on prompts, both `[prompts × models]`. */
export interface Expectations {
  readonly quality: Float64Array;
  /** In dollars; Infinity for models that may not be chosen. */
  readonly cost: Float64Array;
}

/** Settings of the trade-off beside "cost ignored", evenly spaced in the logarithm. */
const SETTINGS = 24;
/** Quality per unit of cost that is given up, from "hardly any" to "all". */
const [LEAST, MOST] = [1e-3, 1e3];

/** Prices of a unit of quality, in 1/dollars: 0, then rising. One unit of cost is the mean cost of a model. */
export function tradeOffs(meanCostUsd: number): number[] {
  const step = Math.log(MOST / LEAST) / (SETTINGS - 1);
  return [
    0,
    ...Array.from({ length: SETTINGS }, (_, index) => (LEAST * Math.exp(step * index)) / meanCostUsd),
  ];
}

/** The model with the best `quality − price · cost`; of equals the cheaper, then the first. One `[prompts]` per price. */
export function sweepTradeOffs(
  { quality, cost }: Expectations,
  { models }: Pick<PromptOutcomes, "models">,
  prices: readonly number[],
): Int16Array[] {
  const width = models.length;
  return prices.map((price) =>
    Int16Array.from({ length: quality.length / width }, (_, index) => {
      let best = -1;
      let bestScore = Number.NEGATIVE_INFINITY;
      for (let model = 0; model < width; model++) {
        const cell = index * width + model;
        const dollars = cost[cell] ?? Number.POSITIVE_INFINITY;
        if (!Number.isFinite(dollars)) continue;
        const score = (quality[cell] ?? 0) - price * dollars;
        const isCheaper = dollars < (cost[index * width + best] ?? Number.POSITIVE_INFINITY);
        if (score > bestScore || (score === bestScore && isCheaper)) {
          best = model;
          bestScore = score;
        }
      }
      return best;
    }),
  );
}
