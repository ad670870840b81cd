import { useState } from "preact/hooks";
import type { Key } from "../api/keys.js";
import { Field } from "../components/controls.js";
import { WeightMeaning } from "../cost-weights/weight-meanings.js";

interface LimitFieldsProps {
  readonly limits?: Key["limits"];
  readonly costWeight?: Key["cost_weight"];
}

/** What is left empty is limited by the settings of the gateway; a single request is not. */
export function LimitFields({ limits, costWeight = null }: LimitFieldsProps) {
  const [weight, setWeight] = useState(costWeight);
  const shared = { type: "number", look: "number", placeholder: "default" };
  return (
    <div class="two-columns">
      <Field
        {...{ ...shared, label: "Requests a minute", name: "requests", min: 1, step: 1 }}
        defaultValue={limits?.requests_per_minute ?? ""}
      />
      <Field
        {...{ ...shared, label: "Tokens a minute", name: "tokens", min: 1, step: 1 }}
        defaultValue={limits?.tokens_per_minute ?? ""}
      />
      <Field
        {...{ ...shared, label: "Budget, US$ a month", name: "usd", min: 0, step: "any" }}
        defaultValue={limits?.usd_per_month ?? ""}
      />
      <Field
        {...{ ...shared, label: "Most US$ of one request", name: "most", min: 0, step: "any" }}
        defaultValue={limits?.max_usd_per_request ?? ""}
        placeholder="any"
      />
      <Field
        {...{ ...shared, label: "Cost weight of auto, 0 to 1", name: "weight", min: 0, max: 1, step: "any" }}
        defaultValue={costWeight ?? ""}
        onInput={({ currentTarget: { value } }) => setWeight(value === "" ? null : Number(value))}
      >
        <WeightMeaning weight={weight} />
      </Field>
      <Field
        {...{ ...shared, label: "Least cost weight of auto", name: "least", min: 0, max: 1, step: "any" }}
        defaultValue={limits?.min_cost_weight ?? ""}
        placeholder="any"
      />
      <Field
        {...{ label: "Allowed models", name: "models", placeholder: "any; or gpt-*, claude-haiku-*" }}
        defaultValue={limits?.allowed_models?.join(", ") ?? ""}
      />
    </div>
  );
}
