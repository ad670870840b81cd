import type { CostWeightBody, CostWeightListBody } from "../../gateway/api/cost-weights.js";
import { dollars } from "../components/format.js";

/** What a cost weight means, in a sentence; empty without prices. */
export function meaningText(meaning: CostWeightBody["meaning"] | undefined): string {
  if (meaning === null || meaning === undefined) return "";
  const { mean_cost_usd: answer, usd_per_point: point } = meaning;
  const worth =
    point === null
      ? "whatever a point of quality costs"
      : `a point of quality is worth up to ${dollars(point)}`;
  return `An answer costs ${dollars(answer)} on average, ${worth}.`;
}

/** That of the listed weight next to this one. */
export function nearestMeaning(
  { data }: Pick<CostWeightListBody, "data">,
  weight: number,
): CostWeightBody["meaning"] {
  const distance = (listed: { readonly cost_weight: number }): number =>
    Math.abs(listed.cost_weight - weight);
  const nearest = data.reduce<CostWeightBody | undefined>(
    (best, listed) => (best === undefined || distance(listed) < distance(best) ? listed : best),
    undefined,
  );
  return nearest?.meaning ?? null;
}
