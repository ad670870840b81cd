import { useEffect } from "preact/hooks";
import { autoWeight, type Explanation, explainPrompt, loadCostWeights } from "../api/router.js";
import { findTrace } from "../api/traces.js";
import { Button } from "../components/controls.js";
import { Empty, useResource } from "../components/resource.js";
import { useSettled } from "../components/use-settled.js";
import { RecommendedWeight } from "../value/recommended-weight.js";
import { Candidates } from "./candidates.js";
import { NearestPrompts } from "./closest-prompts.js";
import { CostSlider } from "./cost-slider.js";
import { DecisionSummary } from "./decision-summary.js";
import { FrontierPlot } from "./frontier-plot.js";
import { DecisionFault, EXAMPLES, ModelSwitch, PromptField, prompt, useQuestion } from "./question.js";

const TYPING_MS = 250;

/** Type a prompt, move the slider, and see what is decided and why. */
export function OnePrompt() {
  const { query, costWeight: stated, models, setCostWeight } = useQuestion();
  const weights = useResource(stated === undefined ? "cost-weights" : undefined, loadCostWeights);
  const costWeight = stated ?? autoWeight(weights.value) ?? 0;
  useTracedPrompt(query.get("trace"));
  const text = useSettled(prompt.value, TYPING_MS);
  const question = { prompt: text, costWeight, runnableOnly: models === "usable" };
  const explanation = useResource<Explanation>(
    text.trim() === "" || weights.isLoading ? undefined : JSON.stringify(question),
    (signal) => explainPrompt(question, signal),
  );
  const shown = text.trim() === "" ? undefined : explanation.value;
  return (
    <>
      <div class="router-top">
        <section class="stack" aria-label="Question">
          <OnePromptField />
          <CostSlider
            costWeight={costWeight}
            choices={shown?.choices ?? []}
            meaning={shown?.routing.cost_weight_meaning}
            onChange={setCostWeight}
          />
          <RecommendedWeight />
          <ModelSwitch />
        </section>
        <section class="stack" aria-label="Decision" aria-live="polite">
          <DecisionFault fault={explanation.fault} />
          {shown === undefined ? (
            <Empty title="No prompt yet">The decision appears as you type.</Empty>
          ) : (
            <DecisionSummary routing={shown.routing} />
          )}
        </section>
      </div>
      {shown !== undefined && (
        <>
          <FrontierPlot routing={shown.routing} />
          <Candidates routing={shown.routing} />
          <NearestPrompts nearest={shown.nearest} choices={shown.choices} />
        </>
      )}
    </>
  );
}

/** Takes the prompt of a trace that the address names. */
function useTracedPrompt(requestId: string | null): void {
  useEffect(() => {
    if (requestId === null) return;
    const leaving = new AbortController();
    findTrace(requestId, leaving.signal).then(
      ({ input_text: text }) => {
        if (text !== undefined) prompt.value = text;
      },
      () => {},
    );
    return () => leaving.abort();
  }, [requestId]);
}

const OnePromptField = () => (
  <div class="stack tight-stack">
    <PromptField label="Prompt" placeholder="Enter a prompt" of={prompt} />
    <div class="row">
      <span class="muted small">Examples:</span>
      {EXAMPLES.map((example) => (
        <Button
          key={example}
          look="slim"
          title={example}
          onClick={() => {
            prompt.value = example;
          }}
        >
          {example.split(" ").slice(0, 4).join(" ")}…
        </Button>
      ))}
    </div>
  </div>
);
