import { DIFFICULTY_TIERS } from "../../src/engine/index.js";
import { DEFAULT_COST_WEIGHT } from "../../src/engine/router/cost-weight.js";
import { spearman } from "../evidence/spearman.js";
import { median } from "../report/statistics.js";
import { COST_WEIGHTS, type GroupRouting, type Routing } from "./groups.js";
import type { Tier } from "./prompts.js";

/** How the list price of what is chosen at the recommended weight grows with the difficulty of prompts. NaN = nothing to compare. */
export interface PricesByTier {
  readonly spearman: number;
  /** Median dollars per million tokens, by tier. */
  readonly medians: Readonly<Record<Tier, number>>;
  /** That of the model that is chosen most often where cost is ignored and prompts are hard. */
  readonly flagship: number;
}

export function pricesByTier({
  routings,
  listPriceOf,
}: Pick<GroupRouting, "routings" | "listPriceOf">): PricesByTier {
  const chosen = (routing: Routing, weight: (typeof COST_WEIGHTS)[number]): string =>
    routing.decisions[COST_WEIGHTS.indexOf(weight)]?.selectedModel ?? "";
  const rows = routings.map((routing) => ({
    tier: routing.prompt.tier,
    price: listPriceOf(chosen(routing, DEFAULT_COST_WEIGHT)),
  }));
  const medianOf = (tier: Tier): number =>
    median(rows.filter((row) => row.tier === tier).map(({ price }) => price));
  const best = routings
    .filter(({ prompt }) => DIFFICULTY_TIERS[prompt.tier] >= DIFFICULTY_TIERS.hard)
    .map((routing) => chosen(routing, 0));
  return {
    spearman: spearman(
      rows.map(({ tier }) => DIFFICULTY_TIERS[tier]),
      rows.map(({ price }) => price),
    ),
    medians: {
      ...{ trivial: medianOf("trivial"), easy: medianOf("easy"), medium: medianOf("medium") },
      ...{ hard: medianOf("hard"), expert: medianOf("expert") },
    },
    flagship: listPriceOf(mostFrequent(best)),
  };
}

/** The first of equals; empty of none. */
export function mostFrequent(names: readonly string[]): string {
  const times = (name: string): number => names.filter((other) => other === name).length;
  return names.reduce((most, name) => (times(name) > times(most) ? name : most), names[0] ?? "");
}
