import { recommendedWeightText } from "../../workbench/report/recommended-weight.js";
import type { Profiles } from "../api/profiles.js";
import { Plain } from "../components/plain.js";

/** The cost weights that `sextant profile tune --save` recommends for the sets in use. */
export function RecommendedWeights({ sets }: Pick<Profiles, "sets">) {
  return (
    <>
      {sets.map(
        ({ name, recommended_cost_weight: recommended }) =>
          recommended !== null && (
            <p key={name} class="muted small">
              Recommended cost weight of <Plain text={name} />: <strong>{recommended.cost_weight}</strong> (
              {recommendedWeightText(recommended)}). Requests without <code>cost_weight</code> do not use it.
            </p>
          ),
      )}
    </>
  );
}
