import type { Trace } from "../api/traces.js";
import { dollars, percent } from "../components/format.js";
import { Plain } from "../components/text.js";
import { DecisionSummary } from "../router/decision-summary.js";

type Routing = NonNullable<Trace["routing"]>;
type Sticky = NonNullable<Routing["sticky"]>;

const STICKY: Readonly<Record<Sticky["reason"], string>> = {
  best_choice: "it was the best choice anyway",
  switching_cost: "switching would have cost more than it gains",
  tool_loop: "the request has results of its tool calls",
  worth_switching: "another model gains more than switching costs",
  unavailable: "it is not a candidate any more",
};

/** The decision as the trace has it, and what became of it. */
export function DecisionThen({ trace }: { readonly trace: Trace }) {
  const { routing } = trace;
  if (routing === null) {
    return <p class="muted">The request named its model: nothing was decided.</p>;
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
        {routing.shadow !== undefined && <Shadow shadow={routing.shadow} />}
      </ul>
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

const Shadow = ({ shadow }: { readonly shadow: NonNullable<Routing["shadow"]> }) => (
  <li>
    {"error" in shadow ? (
      <>
        The shadow set decided nothing: <Plain text={shadow.error} />.
      </>
    ) : (
      <>
        The shadow set would have chosen <Plain text={shadow.selected_model} />, expected quality{" "}
        {percent(shadow.expected_quality)}, expected cost {dollars(shadow.expected_cost_usd)}.
      </>
    )}
  </li>
);
