import { loadCostWeights } from "../api/router.js";
import { useResource } from "../components/resource.js";
import { meaningText, nearestMeaning } from "./meaning.js";

/** What a cost weight means in dollars, under the field or beside the figure; nothing while it is not known. */
export function WeightMeaning({ weight }: { readonly weight: number | null }) {
  const { value } = useResource(weight === null ? undefined : "cost-weights", loadCostWeights);
  const text = weight === null || value === undefined ? "" : meaningText(nearestMeaning(value, weight));
  return text === "" ? null : <small class="muted">{text}</small>;
}
