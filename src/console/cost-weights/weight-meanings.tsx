import { type CostWeights, loadCostWeights } from "../api/router.js";
import { dollars } from "../components/format.js";
import { useResource } from "../components/resource.js";
import { priced, TableFrame } from "../components/table.js";
import { meaningText, nearestMeaning } from "./meaning.js";

/** What a cost weight means in dollars, under the field or beside the figure; nothing while it is not known. */
export function WeightMeaning({ weight }: { readonly weight: number | null }) {
  const { value } = useResource(weight === null ? undefined : "cost-weights", loadCostWeights);
  const text = weight === null || value === undefined ? "" : meaningText(nearestMeaning(value, weight));
  return text === "" ? null : <small class="muted">{text}</small>;
}

/** Shown of the weights that are listed, beside those with a name. */
const SHOWN: readonly number[] = [0, 0.1, 0.2, 0.3, 0.5, 0.8, 1];

/** What cost weights mean in dollars, with the recommended one and those of `auto` and the presets. */
export function WeightList() {
  const { value } = useResource("cost-weights", loadCostWeights);
  if (value === undefined || value.data.every(({ meaning }) => meaning === null)) return null;
  return (
    <details class="small">
      <summary class="muted">What cost weights mean in dollars</summary>
      <TableFrame
        label="Cost weights in dollars"
        rows={rowsOf(value)}
        keyOf={({ name }) => name}
        columns={[
          {
            head: "Cost weight",
            cell: ({ name, weight }) => (
              <>
                {weight} {name !== String(weight) && <code>{name}</code>}
              </>
            ),
          },
          priced(
            "An answer, on average",
            ({ meaning }: ReturnType<typeof rowsOf>[number]) => meaning?.mean_cost_usd ?? null,
          ),
          {
            head: "A point of quality is worth up to",
            kind: "numeric",
            cell: ({ meaning }) =>
              meaning?.usd_per_point === null ? "any price" : dollars(meaning?.usd_per_point ?? null),
          },
        ]}
      />
    </details>
  );
}

const rowsOf = ({ data, named, recommended }: CostWeights) => [
  ...data
    .filter(({ cost_weight: weight }) => SHOWN.includes(weight))
    .map(({ cost_weight: weight, meaning }) => ({ name: String(weight), weight, meaning })),
  ...[{ ...recommended, model: "recommended" }, ...named].map(
    ({ model: name, cost_weight: weight, meaning }) => ({ name, weight, meaning }),
  ),
];
