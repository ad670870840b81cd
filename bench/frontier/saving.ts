import { type CostQuality, qualityAt, risingHull } from "../../src/workbench/metrics/hull.js";
import { bootstrapInterval, type Interval } from "../evidence/bootstrap.js";

/** One prompt: cost and quality of each setting of the router and of each single model. */
export interface PromptResult {
  readonly settings: readonly (CostQuality & {
    /** Dollars that the router expected of its choice. */
    readonly expectedUsd?: number;
  })[];
  readonly models: readonly CostQuality[];
}

/** A value with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly interval: Interval | undefined;
}

/** Quality below the best single model's that is accepted for the saving. */
export const GIVEN_UP = 0.01;

/** Means over prompts, setting by setting or model by model. */
export function meanPoints(results: readonly PromptResult[], of: "settings" | "models"): CostQuality[] {
  const first = results[0]?.[of] ?? [];
  return first.map((_, index) => {
    let [cost, quality] = [0, 0];
    for (const result of results) {
      cost += result[of][index]?.cost ?? Number.NaN;
      quality += result[of][index]?.quality ?? Number.NaN;
    }
    return { cost: cost / results.length, quality: quality / results.length };
  });
}

/** What the choices of one setting cost over what the router expected, in sum. */
export function realOverExpected(results: readonly PromptResult[], setting: number): number {
  let [real, expected] = [0, 0];
  for (const { settings } of results) {
    real += settings[setting]?.cost ?? Number.NaN;
    expected += settings[setting]?.expectedUsd ?? Number.NaN;
  }
  return real / expected;
}

/** The single model of highest quality, the cheaper of equals. */
export function bestSingle(models: readonly CostQuality[]): CostQuality | undefined {
  return models.toSorted((a, b) => b.quality - a.quality || a.cost - b.cost)[0];
}

/** Least cost at which points reach a quality; NaN when none does. */
export function leastCost(points: readonly CostQuality[], quality: number): number {
  const enough = points.filter((point) => point.quality >= quality).map(({ cost }) => cost);
  return enough.length === 0 ? Number.NaN : Math.min(...enough);
}

/** Least mean cost of drawing between points at random such that a quality is reached on average; NaN when none does. */
export function leastMixedCost(points: readonly CostQuality[], quality: number): number {
  const hull = risingHull(points);
  const after = hull.findIndex((point) => point.quality >= quality);
  const [before, next] = [hull[after - 1], hull[after]];
  if (next === undefined) return Number.NaN;
  if (before === undefined) return next.cost;
  const share = (quality - before.quality) / (next.quality - before.quality);
  return before.cost + share * (next.cost - before.cost);
}

/**
 * Quality of a point less what drawing between single models at random reaches at its cost: 0 for those on their hull. A point that
 * costs less than every model is held against the cheapest.
 */
export function gapToHull(point: CostQuality, models: readonly CostQuality[]): number {
  const hull = risingHull(models);
  return point.quality - qualityAt(hull, Math.max(point.cost, hull[0]?.cost ?? Number.NaN));
}

/** That of one setting of the router with its interval: prompts are resampled. */
export function estimateGap(results: readonly PromptResult[], setting: number): Estimate {
  const chosen = results.map((result) => ({
    ...result,
    settings: result.settings.slice(setting, setting + 1),
  }));
  const gap = (drawn: readonly PromptResult[]): number => {
    const [point] = meanPoints(drawn, "settings");
    return point === undefined ? Number.NaN : gapToHull(point, meanPoints(drawn, "models"));
  };
  return {
    value: gap(chosen),
    interval: bootstrapInterval([chosen], ([drawn = []]) => gap(drawn), { resamples: 300 }),
  };
}

export type Spender = "router" | "single" | "mixed";

/** Share of the best single model's cost that is saved at its quality minus one point; negative when that costs more. */
export function savingOf(results: readonly PromptResult[], spender: Spender): number {
  const models = meanPoints(results, "models");
  const best = bestSingle(models);
  if (best === undefined || best.cost <= 0) return Number.NaN;
  const aim = best.quality - GIVEN_UP;
  const costs: Readonly<Record<Spender, () => number>> = {
    router: () => leastCost(meanPoints(results, "settings"), aim),
    single: () => leastCost(models, aim),
    mixed: () => leastMixedCost(models, aim),
  };
  return 1 - costs[spender]() / best.cost;
}

/** The saving with its interval: prompts are resampled, and the best single model and the setting chosen again each time. */
export function estimateSaving(results: readonly PromptResult[], spender: Spender): Estimate {
  return {
    value: savingOf(results, spender),
    interval: bootstrapInterval([results], ([drawn = []]) => savingOf(drawn, spender)),
  };
}
