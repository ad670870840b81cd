import { type CostQuality, qualityAt, risingHull } from "../../src/workbench/metrics/hull.js";
import { bootstrapInterval } from "../evidence/bootstrap.js";

/** One prompt: cost and quality of each setting of the router and of each single model. */
export interface PromptResult {
  readonly settings: readonly (CostQuality & {
    /** Dollars that the router expected of its choice. */
    readonly expectedUsd?: number;
  })[];
  readonly models: readonly CostQuality[];
  /** Of a cross-validation: the router learned from the prompts of the other folds. */
  readonly fold?: number;
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

/**
 * What random draws between single models reach when each fold's models and shares are chosen by the results of the other folds, as the
 * router's choices are: by cost. `risingHull` takes the best of many models by the very prompts that it is measured on, which on few
 * prompts is most of a gap. Empty with fewer than two folds.
 */
export function trainedHull(results: readonly PromptResult[]): CostQuality[] {
  const folds = [...new Set(results.map(({ fold }) => fold))];
  if (folds.length < 2) return [];
  const parts = folds.map((fold) => {
    const test = results.filter((result) => result.fold === fold);
    const others = results.filter((result) => result.fold !== fold);
    const trained = meanPoints(others, "models");
    const hull = risingHull(trained);
    const measured = meanPoints(test, "models");
    return {
      hull,
      share: test.length / results.length,
      at: hull.map((vertex) => measured[indexOf(trained, vertex)]),
    };
  });
  const costs = parts.flatMap(({ hull }) => hull.map(({ cost }) => cost)).sort((a, b) => a - b);
  return costs
    .map((aim) => {
      let [cost, quality] = [0, 0];
      for (const { hull, share, at } of parts) {
        const along = (of: keyof CostQuality): number =>
          qualityAt(
            hull.map(({ cost: vertex }, index) => ({ cost: vertex, quality: at[index]?.[of] ?? Number.NaN })),
            Math.max(aim, hull[0]?.cost ?? Number.NaN),
          );
        cost += share * along("cost");
        quality += share * along("quality");
      }
      return { cost, quality };
    })
    .sort((a, b) => a.cost - b.cost);
}

const indexOf = (points: readonly CostQuality[], { cost, quality }: CostQuality): number =>
  points.findIndex((point) => point.cost === cost && point.quality === quality);

/** Quality of a point less that of the trained hull at its cost; NaN without one. */
export function gapToTrainedHull({ cost, quality }: CostQuality, results: readonly PromptResult[]): number {
  const hull = trainedHull(results);
  const [cheapest] = hull;
  return cheapest === undefined ? Number.NaN : quality - qualityAt(hull, Math.max(cost, cheapest.cost));
}

/** That of one setting of the router with its interval: prompts are resampled. */
export function estimateGap(results: readonly PromptResult[], setting: number) {
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
export function estimateSaving(results: readonly PromptResult[], spender: Spender) {
  return {
    value: savingOf(results, spender),
    interval: bootstrapInterval([results], ([drawn = []]) => savingOf(drawn, spender)),
  };
}
