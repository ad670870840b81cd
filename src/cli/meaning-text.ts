import type { CostWeightMeaning } from "../engine/router/cost-weight.js";

/** What a cost weight means in dollars, in a sentence; null without prices. */
export function meaningText(
  meaning: CostWeightMeaning | null | undefined,
  costWeight: number,
): string | null {
  if (meaning == null) return null;
  const { meanCostUsd, usdPerPoint } = meaning;
  const point = Number.isFinite(usdPerPoint)
    ? `, and a point of quality (a hundredth) is worth up to $${shortly(usdPerPoint)}`
    : ", whatever a point of quality costs";
  return `At cost weight ${shortly(costWeight)} an answer costs $${shortly(meanCostUsd)} on average${point}.`;
}

const shortly = (value: number): string =>
  value.toLocaleString("en-US", { maximumSignificantDigits: 2, useGrouping: false });
