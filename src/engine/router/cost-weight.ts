/**
 * A cost weight is a price: how many dollars a hundredth of expected quality may cost on one request. It is the same whatever the
 * profiles, the providers and their keys (docs/decisions/cost-weight.md).
 */

/** Dollars for a hundredth of quality at `DEFAULT_COST_WEIGHT`. */
const RECOMMENDED_USD_PER_POINT = 0.02;
/** Where hard prompts go to strong models and trivial ones to cheap models, on prompts like traffic: `npm run bench -- everyday`. */
export const DEFAULT_COST_WEIGHT = 0.2;

const odds = (costWeight: number): number => (1 - costWeight) / costWeight;

/** Dollars that a hundredth of quality may cost: infinite at weight 0, none at 1. @param costWeight ≥ 0; above 1 acts as 1 */
export const usdPerPoint = (costWeight: number): number =>
  RECOMMENDED_USD_PER_POINT * (odds(Math.min(1, costWeight)) / odds(DEFAULT_COST_WEIGHT)) ** 2;

/** What a weight means in dollars. */
export interface CostWeightMeaning {
  /** Mean cost of a request, on the prompts that the sets measured it on. */
  readonly meanCostUsd: number;
  /** Dollars that are paid for a hundredth of quality, at most; infinite at weight 0. */
  readonly usdPerPoint: number;
}

/** Steps of the cost weight at which a set knows the mean cost of a request: 0, .05, …, 1. */
export const MEAN_COST_STEPS = 20;

/** @param meanCosts dollars at each step of the cost weight; null where no price is known */
export function meaningOf(costWeight: number, meanCosts: readonly number[] | null): CostWeightMeaning | null {
  if (meanCosts === null) return null;
  const at = Math.min(1, costWeight) * MEAN_COST_STEPS;
  const [before, after] = [meanCosts[Math.floor(at)] as number, meanCosts[Math.ceil(at)] as number];
  return { meanCostUsd: before + (at % 1) * (after - before), usdPerPoint: usdPerPoint(costWeight) };
}

/** The lowest weight whose answers cost at most that on average: 0 when the best quality does, 1 when even the cheapest models cost more. */
export function weightFor(maxMeanCostUsd: number, meanCosts: readonly number[]): number {
  const step = meanCosts.findIndex((cost) => cost <= maxMeanCostUsd);
  if (step <= 0) return step === 0 ? 0 : 1;
  const [above, below] = [meanCosts[step - 1] as number, meanCosts[step] as number];
  return (step - 1 + (above - maxMeanCostUsd) / (above - below)) / MEAN_COST_STEPS;
}

/** How a decision trades quality for cost. */
export interface TradeOff {
  /** The requested weight, in [0, 1]. */
  readonly costWeight: number;
  /** Dollars equivalent to one unit of quality at a weight of 1/2; > 0. */
  readonly unitUsd: number;
}

/** @param asked ≥ 0; above 1 acts as 1 */
export function tradeOffAt(asked: number): TradeOff {
  const costWeight = Math.min(1, asked);
  // `w · cost / unit` of `1 − w` is the price; at both ends the unit does not matter. Not by a division of prices, which may be infinite.
  const isBetween = costWeight > 0 && costWeight < 1;
  const unitUsd = (100 * RECOMMENDED_USD_PER_POINT * odds(costWeight)) / odds(DEFAULT_COST_WEIGHT) ** 2;
  return { costWeight, unitUsd: isBetween ? unitUsd : 1 };
}

/** The score that decides: `(1 − w)·quality − w·cost / unitUsd`. An infinite cost is ignored only at w = 0. */
export function costAdjustedScore(
  { costWeight, unitUsd }: TradeOff,
  { quality, costUsd }: { readonly quality: number; readonly costUsd: number },
): number {
  const cost = costWeight === 0 ? 0 : costWeight * (costUsd / unitUsd);
  return (1 - costWeight) * quality - cost;
}
