import type { Estimates } from "./estimates.js";

/**
 * Calibration of `cost_weight`. Dollars per request are small and differ by a factor of a thousand between models, so a
 * weight is defined as a position between the mean spend of "best quality" (0) and of "cheapest" (1) over a sample of
 * prompts, linear in the logarithm of the spend.
 */
export interface CostWeightCalibration {
  /** @param costWeight ≥ 0; above 1 acts as 1. */
  readonly tradeOffAt: (costWeight: number) => TradeOff;
  /** What a weight means in dollars; null when no price is known. */
  readonly meaningOf: (costWeight: number) => CostWeightMeaning | null;
  /**
   * The lowest weight whose answers cost at most that on average over the sample: 0 when the best quality does, 1 when
   * even the cheapest models cost more; null when no price is known.
   */
  readonly weightFor: (maxMeanCostUsd: number) => number | null;
  /** Computes a little of the calibration, under a millisecond, ahead of the first use of a weight above 0. @returns whether it is done */
  readonly step: () => boolean;
}

/** What a weight means on the sample of prompts. */
export interface CostWeightMeaning {
  /** Mean spend per request in dollars. */
  readonly meanCostUsd: number;
  /** Dollars that are paid for a hundredth of quality, at most; infinite at weight 0. */
  readonly usdPerPoint: number;
}

/** The cheap end is reached to within 1 %: the last per cent would need an infinite price of dollars. */
const SPEND_SLACK = 1.01;
const POINT = 0.01;

/** What a calibration reads of estimates. */
export type Priced = Pick<Estimates, "quality" | "costUsd">;

/** @param prompts estimates of all models with a known cost for each prompt of the sample */
export function calibrateCostWeight(prompts: Iterable<Priced>): CostWeightCalibration {
  let solved: SpendCurve | undefined;
  const steps = spendCurveOf(prompts);
  const step = (): boolean => {
    if (solved !== undefined) return true;
    const next = steps.next();
    if (next.done === true) solved = next.value;
    return next.done === true;
  };
  const curve = (): SpendCurve => {
    while (!step());
    return solved as SpendCurve;
  };
  return {
    tradeOffAt: (asked) => (asked > 0 ? tradeOffOn(curve(), clampUnit(asked)) : BEST_QUALITY),
    meaningOf: (asked) => meaningOn(curve(), clampUnit(asked)),
    weightFor: (maxMeanCostUsd) => weightOn(curve(), maxMeanCostUsd),
    step,
  };
}

const BEST_QUALITY: TradeOff = { costWeight: 0, costShare: 0, unitUsd: 1 };

/**
 * Mean spend on the sample as a function of the price of a dollar in quality. The choice on a prompt moves along the
 * concave hull of its models: each edge is paid for while the price is below its slope.
 */
interface SpendCurve {
  /** Spend of the cheapest and of the best models, per prompt. `lowest` ≤ `highest`; NaN without prompts. */
  readonly lowestUsd: number;
  readonly highestUsd: number;
  /** Quality per dollar of all prompts' edges, falling. */
  readonly slopes: Float64Array;
  /** Mean spend when this edge and all before it are paid for. */
  readonly spendUsd: Float64Array;
}

/** Pauses after each prompt. */
function* spendCurveOf(prompts: Iterable<Priced>): Generator<void, SpendCurve, void> {
  const edges: Edge[] = [];
  let [count, cheapest] = [0, 0];
  for (const estimates of prompts) {
    const { costUsd, quality } = estimates;
    const hull = hullOf(estimates);
    if (hull.length === 0) continue;
    count++;
    cheapest += costUsd[hull[0] as number] as number;
    for (let at = 1; at < hull.length; at++) {
      const [from, next] = [hull[at - 1] as number, hull[at] as number];
      const cost = (costUsd[next] as number) - (costUsd[from] as number);
      edges.push({ slope: ((quality[next] as number) - (quality[from] as number)) / cost, costUsd: cost });
    }
    yield;
  }
  edges.sort((a, b) => b.slope - a.slope);
  let spend = cheapest / count;
  const spendUsd = Float64Array.from(edges, ({ costUsd }) => {
    spend += costUsd / count;
    return spend;
  });
  const slopes = Float64Array.from(edges, ({ slope }) => slope);
  return { lowestUsd: cheapest / count, highestUsd: spend, slopes, spendUsd };
}

interface Edge {
  /** Quality gained per dollar. */
  readonly slope: number;
  readonly costUsd: number;
}

/** The lowest cost, and of equal costs the highest quality. */
function cheapestOf({ costUsd, quality }: Priced): number | undefined {
  let cheapest: number | undefined;
  for (let entry = 0; entry < costUsd.length; entry++) {
    if (Number.isNaN(quality[entry])) continue;
    const cost = costUsd[entry] as number;
    const least = cheapest === undefined ? Number.POSITIVE_INFINITY : (costUsd[cheapest] as number);
    if (cost < least) cheapest = entry;
    else if (cost === least && (quality[entry] as number) > (quality[cheapest as number] as number))
      cheapest = entry;
  }
  return cheapest;
}

/** The entries on the concave hull from the cheapest model to the best one, by falling slope; empty where no quality is a number. */
export function hullOf(estimates: Priced): readonly number[] {
  const { costUsd, quality } = estimates;
  const hull: number[] = [];
  for (let from = cheapestOf(estimates); from !== undefined; ) {
    hull.push(from);
    let next: number | undefined;
    let steepest = 0;
    for (let entry = 0; entry < quality.length; entry++) {
      const gain = (quality[entry] as number) - (quality[from] as number);
      const slope = gain / ((costUsd[entry] as number) - (costUsd[from] as number));
      // Of entries on one line the farthest, so that the edge is one.
      if (!(gain > 0) || slope <= 0 || slope < steepest) continue;
      if (slope === steepest && next !== undefined && (quality[entry] as number) <= (quality[next] as number))
        continue;
      [next, steepest] = [entry, slope];
    }
    from = next;
  }
  return hull;
}

/** Edges that are paid for at a weight in (0, 1]. */
function paidEdges({ lowestUsd, highestUsd, spendUsd }: SpendCurve, costWeight: number): number {
  const target = Math.max(targetSpend({ lowestUsd, highestUsd }, costWeight), lowestUsd * SPEND_SLACK);
  let [low, high] = [0, spendUsd.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spendUsd[middle] as number) <= target) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Quality per dollar below which nothing more is paid for. 0 without a price. */
const leastSlope = (curve: SpendCurve, costWeight: number): number =>
  costWeight === 0 ? 0 : (curve.slopes[paidEdges(curve, costWeight)] ?? 0);

function tradeOffOn(curve: SpendCurve, costWeight: number): TradeOff {
  const { lowestUsd, highestUsd } = curve;
  const unitUsd = Math.max(highestUsd - lowestUsd, highestUsd * 1e-3, 1e-12) || 1;
  const price = leastSlope(curve, costWeight) * unitUsd;
  return { costWeight, costShare: price / (1 + price), unitUsd };
}

function meaningOn(curve: SpendCurve, costWeight: number): CostWeightMeaning | null {
  const { lowestUsd, highestUsd, spendUsd } = curve;
  if (Number.isNaN(highestUsd)) return null;
  const paid = costWeight === 0 ? spendUsd.length : paidEdges(curve, costWeight);
  return {
    meanCostUsd: spendUsd[paid - 1] ?? lowestUsd,
    usdPerPoint: POINT / leastSlope(curve, costWeight),
  };
}

function weightOn({ lowestUsd, highestUsd }: SpendCurve, maxMeanCostUsd: number): number | null {
  if (Number.isNaN(highestUsd)) return null;
  if (highestUsd <= maxMeanCostUsd) return 0;
  if (lowestUsd >= maxMeanCostUsd) return 1;
  const scale = lowestUsd > 0 ? Math.log : (usd: number): number => usd;
  return (scale(highestUsd) - scale(maxMeanCostUsd)) / (scale(highestUsd) - scale(lowestUsd));
}

/** The spend that a weight stands for: geometric between both ends, linear where the cheap end is free. */
function targetSpend(
  { lowestUsd, highestUsd }: Pick<SpendCurve, "lowestUsd" | "highestUsd">,
  costWeight: number,
): number {
  if (lowestUsd <= 0) return highestUsd + costWeight * (lowestUsd - highestUsd);
  return Math.exp((1 - costWeight) * Math.log(highestUsd) + costWeight * Math.log(lowestUsd));
}

const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));

/** How a decision trades quality for cost: the meaning of a cost weight on the loaded profiles. */
export interface TradeOff {
  /** The requested weight, in [0, 1]. */
  readonly costWeight: number;
  /** w of `(1 − w)·quality − w·cost / unitUsd`, in [0, 1). Never falls as `costWeight` grows. */
  readonly costShare: number;
  /** Dollars equivalent to one unit of quality at w = 1/2; > 0. */
  readonly unitUsd: number;
}

/** The score that decides: `(1 − w)·quality − w·cost / unitUsd`. An infinite cost is ignored only at w = 0. */
export function costAdjustedScore(
  { costShare, unitUsd }: TradeOff,
  { quality, costUsd }: { readonly quality: number; readonly costUsd: number },
): number {
  const cost = costShare === 0 ? 0 : costShare * (costUsd / unitUsd);
  return (1 - costShare) * quality - cost;
}
