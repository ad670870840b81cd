import { type CostQuality, qualityAt, risingHull } from "./hull.js";

/**
 * AIQ (RouterBench): mean quality over the costs between the cheapest and the most expensive single model, along the
 * non-decreasing convex hull of a router's points. The cheapest single model is on every router's hull, since a router
 * can always choose it.
 *
 * @param points of a router along its cost weight; those of the single models for the zero router
 * @param singles one point per single model, at least 2 of different cost; NaN otherwise
 */
export function averageImprovement(points: readonly CostQuality[], singles: readonly CostQuality[]): number {
  const byCost = singles.toSorted((a, b) => a.cost - b.cost || b.quality - a.quality);
  const [cheapest, mostExpensive] = [byCost[0], byCost.at(-1)];
  if (cheapest === undefined || mostExpensive === undefined || mostExpensive.cost <= cheapest.cost)
    return Number.NaN;
  const hull = risingHull([cheapest, ...points]);
  const costs = [cheapest.cost, ...hull.map(({ cost }) => cost), mostExpensive.cost]
    .filter((cost) => cost >= cheapest.cost && cost <= mostExpensive.cost)
    .sort((a, b) => a - b);
  let area = 0;
  for (let step = 1; step < costs.length; step++) {
    const [from, to] = [costs[step - 1] as number, costs[step] as number];
    area += ((to - from) * (qualityAt(hull, from) + qualityAt(hull, to))) / 2;
  }
  return area / (mostExpensive.cost - cheapest.cost);
}

/** Quality below the best single model's that still counts as equal: half a point. */
const EQUAL_WITHIN = 0.005;

/**
 * CostSave: share of the best single model's cost that a router saves at equal quality: at its cheapest setting that is at
 * most half a point worse. Negative when that costs more; NaN when no setting is that good.
 */
export function costSaved(points: readonly CostQuality[], best: CostQuality): number {
  const equal = points.filter(({ quality }) => quality >= best.quality - EQUAL_WITHIN);
  if (equal.length === 0 || best.cost <= 0) return Number.NaN;
  return 1 - Math.min(...equal.map(({ cost }) => cost)) / best.cost;
}

/** PerfGain: how much better than the best single model, as a share of it. */
export function performanceGain(quality: number, best: number): number {
  return (quality - best) / best;
}

/** Share of the gap between the best single model and the oracle that is closed; NaN when there is no gap. */
export function gapClosed(
  quality: number,
  { best, oracle }: { readonly best: number; readonly oracle: number },
): number {
  return oracle > best ? (quality - best) / (oracle - best) : Number.NaN;
}
