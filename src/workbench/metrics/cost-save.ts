import type { CostQuality } from "./hull.js";

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
