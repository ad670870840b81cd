import { useState } from "preact/hooks";
import type { Key } from "../api/keys.js";
import { Field } from "../components/controls.js";
import { WeightMeaning } from "../cost-weights/weight-meanings.js";

interface LimitFieldsProps {
  readonly limits?: Key["limits"];
  readonly costWeight?: Key["cost_weight"];
}

const FIGURES = [
  { label: "Requests a minute", name: "requests", limit: "requests_per_minute", min: 1, step: 1 },
  { label: "Tokens a minute", name: "tokens", limit: "tokens_per_minute", min: 1, step: 1 },
  { label: "Budget, US$ a month", name: "usd", limit: "usd_per_month", min: 0 },
  {
    label: "Most US$ of one request",
    name: "most",
    limit: "max_usd_per_request",
    min: 0,
    placeholder: "any",
  },
  {
    label: "Minimum cost weight of auto",
    name: "least",
    limit: "min_cost_weight",
    min: 0,
    max: 1,
    placeholder: "any",
  },
] as const;

/** What is left empty is limited by the settings of the gateway; a single request is not. */
export function LimitFields({ limits, costWeight = null }: LimitFieldsProps) {
  const [weight, setWeight] = useState(costWeight);
  const shared = { type: "number", look: "number", placeholder: "default", step: "any" };
  return (
    <div class="two-columns">
      {FIGURES.map(({ limit, ...field }) => (
        <Field key={limit} {...shared} {...field} defaultValue={limits?.[limit] ?? ""} />
      ))}
      <Field
        {...shared}
        label="Cost weight of auto, 0 to 1"
        name="weight"
        min={0}
        max={1}
        defaultValue={costWeight ?? ""}
        onInput={({ currentTarget: { value } }) => setWeight(value === "" ? null : Number(value))}
      >
        <WeightMeaning weight={weight} />
      </Field>
      <Field
        label="Allowed models"
        name="models"
        placeholder="any; or gpt-*, claude-haiku-*"
        defaultValue={limits?.allowed_models?.join(", ") ?? ""}
      />
    </div>
  );
}
