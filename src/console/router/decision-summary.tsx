import type { Routing } from "../api/router.js";
import { dollars, duration, percent } from "../components/format.js";
import { Facts, Plain } from "../components/text.js";
import { candidatesText, hasEvidence, promptSummary } from "./evidence.js";

/** What was decided, and why in a sentence. */
export function DecisionSummary({ routing }: { readonly routing: Routing }) {
  const selected = routing.candidates[0];
  return (
    <div class="stack">
      <div>
        <p class="muted small">Chosen model</p>
        <p class="decision-model" data-testid="selected-model">
          <Plain text={routing.selected_model} />
        </p>
        <p class="muted">
          {routing.selected_provider === null ? (
            "no provider known"
          ) : (
            <Plain text={routing.selected_provider} />
          )}
        </p>
      </div>
      <p class="decision-reason">{sentence(routing.reason.replace(SAID_BELOW, ""))}</p>
      <MissingEvidence routing={routing} />
      {routing.prompt !== undefined && <p class="muted small">Prompt: {promptSummary(routing.prompt)}</p>}
      <Facts
        facts={[
          ["Effort", selected?.effort],
          [
            "Expected quality",
            <>
              {percent(routing.expected_quality)}{" "}
              <span class="muted">± {percent(selected?.quality_stderr ?? null)}</span>
            </>,
          ],
          ["Expected cost", dollars(routing.expected_cost_usd)],
          [
            "Confidence",
            routing.confidence < TIE ? "Tie with runner-up" : `${percent(routing.confidence)} over runner-up`,
          ],
          ["Closest graded prompt", routing.nearest_similarity.toFixed(2)],
          ["Candidates", candidatesText(routing)],
          ["Decided in", duration(routing.timings_ms.total)],
        ]}
      />
      {routing.excluded.length > 0 && <Excluded excluded={routing.excluded} />}
    </div>
  );
}

/** Probability of being better below which two models are as good as equal. */
const TIE = 0.55;

/** A clause of the reason. */
const SAID_BELOW = "; no evidence near this prompt";

/** What an expectation rests on where no graded prompt is near. Its error is beside it, and says how much that is worth. */
function MissingEvidence({ routing }: { readonly routing: Routing }) {
  const [selected] = routing.candidates;
  if (selected === undefined || hasEvidence(selected, routing)) return null;
  const isPlaced = selected.basis === "placed" && !routing.out_of_distribution;
  return (
    <p class="muted small">
      No graded prompt is near this one
      {routing.out_of_distribution ? "" : " for the chosen model"}: expected quality is based on{" "}
      {isPlaced ? "published scores" : "overall performance"}.
    </p>
  );
}

const REASONS: Readonly<Record<Routing["excluded"][number]["reason"], string>> = {
  context_window: "prompt longer than the context window",
  images_unsupported: "cannot see images",
  tools_unsupported: "cannot call tools",
  unsupported_parameter: "does not support a parameter of the request",
  unknown_price: "unknown price",
  too_slow: "slower than the latency limit",
  unknown_latency: "no measured latency",
  not_allowed: "not allowed for the caller",
  too_expensive: "above the cost limit of a request",
  no_provider: "no provider is configured",
  paused: "paused by an operator",
  retired: "retired by the vendor",
  not_served: "not served by any known provider",
};

function Excluded({ excluded }: Pick<Routing, "excluded">) {
  const reasons = Map.groupBy(excluded, ({ reason }) => reason);
  return (
    <details class="small">
      <summary class="muted">
        {excluded.length} excluded:{" "}
        {[...reasons].map(([reason, models]) => `${REASONS[reason]} (${models.length})`).join(", ")}
      </summary>
      <ul class="pills excluded">
        {excluded.map(({ model, reason }) => (
          <li key={model} class="pill" title={REASONS[reason]}>
            <Plain text={model} />
          </li>
        ))}
      </ul>
    </details>
  );
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
