import { useEffect } from "preact/hooks";
import { useSearchParams } from "wouter-preact";
import { type Explanation, explainPrompt } from "../api/router.js";
import { findTrace } from "../api/traces.js";
import { Button } from "../components/controls.js";
import { Empty, Notice, useResource } from "../components/resource.js";
import { Candidates } from "./candidates.js";
import { CostSlider } from "./cost-slider.js";
import { DecisionSummary } from "./decision-summary.js";
import { NearestPrompts, Why } from "./evidence-tables.js";
import { FrontierPlot } from "./frontier-plot.js";
import { EXAMPLES, type ModelChoice, ModelSwitch, prompt, ShowAll, useSettled } from "./question.js";

const TYPING_MS = 250;

interface OnePromptProps {
  readonly costWeight: number;
  readonly models: ModelChoice;
  readonly onCostWeight: (costWeight: number) => void;
  readonly onModels: (models: ModelChoice) => void;
}

/** Type a prompt, move the slider, and see what is decided and why. */
export function OnePrompt({ costWeight, models, onCostWeight, onModels }: OnePromptProps) {
  const [query] = useSearchParams();
  useTracedPrompt(query.get("trace"));
  const text = useSettled(prompt.value, TYPING_MS);
  const question = { prompt: text, costWeight, runnableOnly: models === "usable" };
  const explanation = useResource<Explanation>(
    text.trim() === "" ? undefined : JSON.stringify(question),
    (signal) => explainPrompt(question, signal),
  );
  const shown = text.trim() === "" ? undefined : explanation.value;
  return (
    <>
      <div class="router-top">
        <section class="card padded stack" aria-label="Question">
          <PromptField />
          <CostSlider
            costWeight={costWeight}
            choices={shown?.choices ?? []}
            meaning={shown?.routing.cost_weight_meaning}
            onChange={onCostWeight}
          />
          <ModelSwitch models={models} onChange={onModels} />
        </section>
        <section class="card padded stack" aria-label="Decision" aria-live="polite">
          {explanation.fault !== undefined && (
            <Notice kind="error">
              {explanation.fault} {models === "usable" && <ShowAll onChange={onModels} />}
            </Notice>
          )}
          {shown === undefined ? (
            <Empty title="No prompt yet" frame="none">
              The decision appears as you type.
            </Empty>
          ) : (
            <DecisionSummary routing={shown.routing} />
          )}
        </section>
      </div>
      {shown !== undefined && (
        <>
          <FrontierPlot routing={shown.routing} />
          <Candidates routing={shown.routing} />
          <Why routing={shown.routing} />
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

function PromptField() {
  return (
    <div class="stack tight-stack">
      <label class="field">
        <span>Prompt</span>
        <textarea
          class="input"
          rows={6}
          dir="auto"
          spellcheck={false}
          value={prompt.value}
          onInput={(event) => {
            prompt.value = event.currentTarget.value;
          }}
          placeholder="Enter a prompt"
        />
      </label>
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
}
