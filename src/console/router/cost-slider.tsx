import { useId } from "preact/hooks";
import type { Choice, Meaning } from "../api/router.js";
import { dollars, percent } from "../components/format.js";
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
        <ol class="choices" aria-label="Chosen model by cost weight">
          {choices.map((choice) => (
            <li key={choice.from_cost_weight}>
              <button
                type="button"
                class="choice"
                aria-pressed={choice === chosen}
                onClick={() => onChange(choice.from_cost_weight)}
              >
                <span class="number muted">from {choice.from_cost_weight.toFixed(2)}</span>
                <span class="choice-model">
                  <Plain text={choice.model} />
                </span>
                <span class="number">{percent(choice.expected_quality)}</span>
                <span class="number">{dollars(choice.expected_cost_usd)}</span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
