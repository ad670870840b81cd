import type { Trace } from "../api/traces.js";
import { Candidates } from "../router/candidates.js";
import { DecisionThen } from "./decision-then.js";
import { RouteAgain } from "./route-again.js";

/** The decision as it was made, beside what would be decided now. */
export function WhyThisModel({ trace }: { readonly trace: Trace }) {
  const { routing, messages, input_text: input } = trace;
  return (
    <>
      <div class="side-by-side">
        <section class="card padded stack" aria-labelledby="then-title">
          <h2 id="then-title">Why this model</h2>
          <DecisionThen trace={trace} />
        </section>
        {(messages != null || (input ?? "") !== "") && (
          <section class="card padded stack" aria-labelledby="again-title">
            <h2 id="again-title">Route this again</h2>
            <RouteAgain trace={trace} />
          </section>
        )}
      </div>
      {routing !== null && <Candidates routing={routing} />}
    </>
  );
}
