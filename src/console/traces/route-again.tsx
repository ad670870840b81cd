import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { explain } from "../api/router.js";
import type { Trace } from "../api/traces.js";
import { Loaded } from "../components/loaded.js";
import { Plain } from "../components/plain.js";
import { useResource } from "../components/use-resource.js";
import { CostSlider } from "../router/cost-slider.js";
import { DecisionSummary } from "../router/decision-summary.js";

interface RouteAgainProps {
  readonly trace: Trace;
  /** Its prompt, not empty. */
  readonly input: string;
}

/** What would be decided for the same prompt now, with another cost weight. Nothing is run. */
export function RouteAgain({ trace, input }: RouteAgainProps) {
  const before = trace.routing;
  const [isOpen, setIsOpen] = useState(false);
  const [costWeight, setCostWeight] = useState(Math.min(1, before?.cost_weight ?? 0));
  const question = { prompt: input, costWeight, runnableOnly: false };
  const explanation = useResource(isOpen ? `${trace.request_id} ${costWeight}` : undefined, (signal) =>
    explain(question, signal),
  );
  if (!isOpen) {
    return (
      <button class="button show-all" type="button" onClick={() => setIsOpen(true)}>
        Route this again with another cost weight
      </button>
    );
  }
  return (
    <section class="card padded stack" aria-labelledby="again-title">
      <div class="text-head">
        <h2 id="again-title">Route this again</h2>
        <Link
          href={`/router?${new URLSearchParams({ trace: trace.request_id, cost_weight: String(costWeight) })}`}
        >
          Open in the router
        </Link>
      </div>
      {before !== null && (
        <p class="muted">
          At the time, with cost weight {before.cost_weight}: <Plain text={before.selected_model} />.
        </p>
      )}
      <div class="router-top">
        <CostSlider
          costWeight={costWeight}
          choices={explanation.value?.choices ?? []}
          onChange={setCostWeight}
        />
        <div aria-live="polite">
          <Loaded resource={explanation}>{({ routing }) => <DecisionSummary routing={routing} />}</Loaded>
        </div>
      </div>
    </section>
  );
}
