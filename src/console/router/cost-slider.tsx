import { useId } from "preact/hooks";
import type { Choice, Meaning } from "../api/router.js";
import { percent } from "../components/format.js";
import { numeric, priced, Table } from "../components/table.js";
import { Plain } from "../components/text.js";
import { meaningText } from "../cost-weights/meaning.js";

interface CostSliderProps {
  readonly costWeight: number;
  /** What would be chosen at each weight. */
  readonly choices: readonly Choice[];
  /** What the weight means in dollars. */
  readonly meaning: Meaning | undefined;
  readonly onChange: (costWeight: number) => void;
}

/** How much cost counts, and under the slider which model each part of it stands for. */
export function CostSlider({ costWeight, choices, meaning, onChange }: CostSliderProps) {
  const id = useId();
  const chosen = choices.findLast(({ from_cost_weight: from }) => from <= costWeight);
  return (
    <div class="slider">
      <div class="slider-head">
        <label class="field-name" htmlFor={id}>
          Cost weight
        </label>
        <output class="number" htmlFor={id}>
          {costWeight.toFixed(2)}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min="0"
        max="1"
        step="0.01"
        value={costWeight}
        aria-valuetext={chosen === undefined ? undefined : `${costWeight.toFixed(2)}: ${chosen.model}`}
        onInput={(event) => onChange(Number(event.currentTarget.value))}
      />
      <div class="slider-ends muted small">
        <span>0 · best quality at any cost</span>
        <span>1 · lowest cost</span>
      </div>
      {meaning !== undefined && meaning !== null && (
        <p class="muted small" data-testid="weight-meaning">
          {meaningText(meaning)}
        </p>
      )}
      {choices.length > 0 && (
        <Table
          label="Chosen model by cost weight"
          columns={[
            {
              head: "From",
              hint: "Cost weight from which it is chosen",
              cell: ({ from_cost_weight: from }) => (
                <button class="sort" type="button" onClick={() => onChange(from)}>
                  {from.toFixed(2)}
                </button>
              ),
            },
            { head: "Model", look: "whole-name", cell: ({ model }) => <Plain text={model} /> },
            numeric<Choice>("Quality", ({ expected_quality: quality }) => percent(quality)),
            priced<Choice>("Cost", ({ expected_cost_usd: cost }) => cost),
          ]}
          rows={choices}
          keyOf={({ from_cost_weight: from }) => from}
          lookOf={(choice) => (choice === chosen ? "chosen" : "")}
        />
      )}
    </div>
  );
}
