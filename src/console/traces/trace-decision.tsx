import { type RoutedAgain, routeAgain, type Trace } from "../api/traces.js";
import { Button } from "../components/controls.js";
import { changePercent, changeSince, dollars, percent, points } from "../components/format.js";
import { Link } from "../components/link.js";
import { Loaded, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { CostSlider } from "../router/cost-slider.js";
import { DecisionSummary } from "../router/decision-summary.js";

type Routing = NonNullable<Trace["routing"]>;
type Sticky = NonNullable<Routing["sticky"]>;

const STICKY: Readonly<Record<Sticky["reason"], string>> = {
  best_choice: "it was the best choice anyway",
  switching_cost: "switching would have cost more than it gains",
  tool_loop: "the request has results of its tool calls",
  worth_switching: "another model gains more than switching costs",
  unavailable: "it is no longer a candidate",
};

/** The decision as the trace has it, and what became of it. */
export function DecisionThen({ trace }: { readonly trace: Trace }) {
  const { routing } = trace;
  if (routing === null) {
    return (
      <p class="muted">
        <NamedModel trace={trace} />
      </p>
    );
  }
  return (
    <>
      <DecisionSummary routing={routing} />
      <ul class="decision-notes small">
        <li>
          Cost weight <strong class="number">{routing.cost_weight}</strong>, profiles{" "}
          <code>{routing.profile_version}</code>
        </li>
        {isAnsweredByAnother(trace, routing) && (
          <li>
            <Plain text={routing.selected_model} /> failed; <Plain text={trace.model ?? ""} /> answered.
          </li>
        )}
        {routing.exploration !== undefined && <Explored exploration={routing.exploration} />}
        {routing.sticky !== undefined && <Kept sticky={routing.sticky} />}
      </ul>
    </>
  );
}

/** What became of a model that the request named. */
function NamedModel({ trace: { model, attempts } }: { readonly trace: Trace }) {
  const [first] = attempts;
  if (first === undefined || first.model === model || model === null)
    return <>The request named its model, so none was chosen.</>;
  return (
    <>
      The request named <Plain text={first.model} />,{" "}
      {first.code === "model_paused" ? "which is paused" : "which failed"}; <Plain text={model} /> answered in
      its place.
    </>
  );
}

const isAnsweredByAnother = ({ model, attempts }: Trace, { selected_model: selected }: Routing): boolean =>
  attempts.length > 0 && model !== null && model !== selected;

const Explored = ({ exploration }: { readonly exploration: NonNullable<Routing["exploration"]> }) => (
  <li>
    {exploration.explored ? (
      <>
        Drawn at random, with a probability of {percent(exploration.probability)}; without exploration{" "}
        <Plain text={exploration.preferred_model} /> would have been chosen.
      </>
    ) : (
      <>Took part in exploration; this choice had a probability of {percent(exploration.probability)}.</>
    )}
  </li>
);

const Kept = ({ sticky }: { readonly sticky: Sticky }) => (
  <li>
    {sticky.kept ? "Kept" : "Did not keep"} the model of the conversation,{" "}
    <Plain text={sticky.previous_model} />: {STICKY[sticky.reason]}
    {sticky.saved_usd !== null && `, ${dollars(Math.abs(sticky.saved_usd))} ${savedWord(sticky.saved_usd)}`}.
  </li>
);

const savedWord = (savedUsd: number): string => (savedUsd < 0 ? "more expensive" : "saved");

/** What would be decided for the same prompt now. Nothing is run. The cost weight is in the address. */
export function RouteAgain({ trace }: { readonly trace: Trace }) {
  const [query, change] = useQuery();
  const before = trace.routing;
  const weight = query.get("cost_weight");
  const costWeight = Math.min(1, Math.max(0, Number(weight ?? before?.cost_weight ?? 0) || 0));
  const isOpen = weight !== null;
  const again = useResource(isOpen ? `${trace.request_id} ${costWeight}` : undefined, (signal) =>
    routeAgain(trace.request_id, costWeight, signal),
  );
  if (!isOpen) {
    return (
      <>
        <p class="muted">
          What would be decided for the same prompt with another cost weight. No model is called.
        </p>
        <Button
          look="show-all"
          onClick={() => change({ cost_weight: String(Math.min(1, before?.cost_weight ?? 0)) })}
        >
          Route this again
        </Button>
      </>
    );
  }
  return (
    <>
      <CostSlider
        costWeight={costWeight}
        choices={again.value?.choices ?? []}
        meaning={again.value?.routing.cost_weight_meaning}
        onChange={(value) => change({ cost_weight: String(value) })}
      />
      <div class="stack" aria-live="polite">
        <Loaded resource={again}>
          {(value) => (
            <>
              {before !== null && <Difference then={before} now={value.routing} />}
              <DecisionSummary routing={value.routing} />
              <Candidates again={value} />
            </>
          )}
        </Loaded>
      </div>
      <Link
        href={`/router?${new URLSearchParams({ trace: trace.request_id, cost_weight: String(costWeight) })}`}
      >
        Open in the router
      </Link>
    </>
  );
}

interface DifferenceProps {
  readonly then: NonNullable<Trace["routing"]>;
  readonly now: RoutedAgain["routing"];
}

/** What the other decision gains and costs, by what is expected now where the model is still a candidate. */
function Difference({ then, now }: DifferenceProps) {
  if (then.selected_model === now.selected_model) {
    return <p class="difference">Same model.</p>;
  }
  const old = now.candidates.find(({ model }) => model === then.selected_model);
  if (old === undefined) {
    return (
      <p class="difference">
        Different model; <Plain text={then.selected_model} /> is no longer a candidate.
      </p>
    );
  }
  return (
    <p class="difference">
      Different model: expected quality {points(now.expected_quality - old.expected_quality)} points, expected
      cost {dollars(now.expected_cost_usd)} instead of {dollars(old.expected_cost_usd)}
      {costChange(old.expected_cost_usd, now.expected_cost_usd)}.
    </p>
  );
}

function costChange(then: number | null, now: number | null): string {
  const change = changeSince(then, now);
  return change === null ? "" : ` (${changePercent(change)})`;
}

function Candidates({ again }: { readonly again: RoutedAgain }) {
  const { left_out: leftOut, same_candidates: areSame } = again;
  return (
    <p class="muted small">
      {areSame ? "Same candidates as before." : "Models that can be run now: the request named its model."}
      {leftOut.length > 0 && (
        <>
          {" "}
          Without a profile now: <Plain text={leftOut.join(", ")} />.
        </>
      )}
    </p>
  );
}
