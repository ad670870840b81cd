import { type RoutedAgain, routeAgain, type Trace } from "../api/traces.js";
import { Button } from "../components/controls.js";
import { changePercent, changeSince, dollars, percent, points } from "../components/format.js";
import { Link } from "../components/link.js";
import { Loaded, useResource } from "../components/resource.js";
import { KeyLink, Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { CostSlider } from "../router/cost-slider.js";
import { DecisionSummary } from "../router/decision-summary.js";
import { outcomeOf } from "./outcome.js";

type Routing = NonNullable<Trace["routing"]>;
type Sticky = NonNullable<Routing["sticky"]>;

const STICKY: Readonly<Record<Sticky["reason"], string>> = {
  best_choice: "it was the best choice anyway",
  switching_cost: "switching would have cost more than it gains",
  tool_loop: "the request has results of its tool calls",
  worth_switching: "another model gains more than switching costs",
  unavailable: "it is no longer a candidate",
};

/** From the request to its answer: what was asked for, what was decided and why, and what answered. */
export function Steps({ trace }: { readonly trace: Trace }) {
  const { routing } = trace;
  const { asked, events, answered } = outcomeOf(trace);
  return (
    <ol class="steps">
      <li>
        <h3>Asked for</h3>
        <p>
          <Plain text={asked} />
        </p>
        <p class="muted small">
          {trace.api_key !== null && (
            <>
              Key <KeyLink of={trace.api_key} />,{" "}
            </>
          )}
          source <Plain text={trace.source} />, {trace.kind}
        </p>
      </li>
      {routing !== null && (
        <li>
          <h3>Decided</h3>
          <DecisionSummary routing={routing} />
          {routing.exploration !== undefined && <Explored exploration={routing.exploration} />}
          {routing.sticky !== undefined && <Kept sticky={routing.sticky} />}
        </li>
      )}
      <li>
        <h3>Answered</h3>
        {[...events, answered.replace(/^./, (first) => first.toUpperCase())].map((event) => (
          <p key={event}>
            <Plain text={`${event}.`} />
          </p>
        ))}
      </li>
    </ol>
  );
}

const Explored = ({ exploration }: { readonly exploration: NonNullable<Routing["exploration"]> }) => (
  <p class="small">
    {exploration.explored ? (
      <>
        Drawn at random, with a probability of {percent(exploration.probability)}; without exploration{" "}
        <Plain text={exploration.preferred_model} /> would have been chosen.
      </>
    ) : (
      <>Took part in exploration; this choice had a probability of {percent(exploration.probability)}.</>
    )}
  </p>
);

const Kept = ({ sticky }: { readonly sticky: Sticky }) => (
  <p class="small">
    {sticky.kept ? "Kept" : "Did not keep"} the model of the conversation,{" "}
    <Plain text={sticky.previous_model} />: {STICKY[sticky.reason]}
    {sticky.saved_usd !== null && `, ${dollars(Math.abs(sticky.saved_usd))} ${savedWord(sticky.saved_usd)}`}.
  </p>
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
        <p class="muted small">What would be decided for the same prompt now. No model is called.</p>
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
              <p class="muted small">
                {before === null
                  ? "Among all models that can run now: the request named its model."
                  : value.same_candidates
                    ? "Among the same candidates, but for those that are paused now."
                    : "Among all models that can run now, without what is paused."}
                {value.left_out.length > 0 && (
                  <>
                    {" "}
                    Without a profile now: <Plain text={value.left_out.join(", ")} />.
                  </>
                )}
              </p>
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
function Difference({ then: { selected_model: before }, now }: DifferenceProps) {
  if (before === now.selected_model) return <p>Same model.</p>;
  const old = now.candidates.find(({ model }) => model === before);
  const cost = old && changeSince(old.expected_cost_usd, now.expected_cost_usd);
  return (
    <p>
      Different model:{" "}
      {old === undefined ? (
        <>
          <Plain text={before} /> is no longer a candidate.
        </>
      ) : (
        `expected quality ${points(now.expected_quality - old.expected_quality)} points, expected cost ` +
        `${dollars(now.expected_cost_usd)} instead of ${dollars(old.expected_cost_usd)}` +
        `${cost == null ? "" : ` (${changePercent(cost)})`}.`
      )}
    </p>
  );
}
