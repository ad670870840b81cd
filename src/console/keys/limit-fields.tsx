import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Key } from "../api/keys.js";
import { WeightMeaning } from "../cost-weights/weight-meanings.js";

interface LimitFieldsProps {
  readonly limits?: Key["limits"];
  readonly costWeight?: Key["cost_weight"];
}

/** What is left empty is limited by the settings of the gateway. */
export function LimitFields({ limits, costWeight }: LimitFieldsProps) {
  return (
    <div class="two-columns">
      <LimitField name="requests" label="Requests a minute" step="1" value={limits?.requests_per_minute} />
      <LimitField name="tokens" label="Tokens a minute" step="1" value={limits?.tokens_per_minute} />
      <LimitField name="usd" label="Budget, US$ a month" step="any" value={limits?.usd_per_month} />
      <WeightField costWeight={costWeight ?? null} />
    </div>
  );
}

/** With what the weight means in dollars, as it is typed. */
function WeightField({ costWeight }: { readonly costWeight: number | null }) {
  const [weight, setWeight] = useState(costWeight);
  return (
    <LimitField
      name="weight"
      label="Cost weight of auto, 0 to 1"
      step="any"
      max="1"
      value={costWeight}
      onInput={(text) => setWeight(text === "" ? null : Number(text))}
    >
      <WeightMeaning weight={weight} />
    </LimitField>
  );
}

interface LimitFieldProps {
  readonly name: string;
  readonly label: string;
  readonly step: "1" | "any";
  readonly max?: string;
  readonly value: number | null | undefined;
  readonly onInput?: (text: string) => void;
  /** Below the field. */
  readonly children?: ComponentChildren;
}

const LimitField = ({ name, label, step, max, value, onInput, children }: LimitFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      class="input number"
      name={name}
      type="number"
      min={step === "1" ? "1" : "0"}
      step={step}
      {...(max === undefined ? {} : { max })}
      placeholder="default"
      defaultValue={value === null || value === undefined ? "" : String(value)}
      onInput={(event) => onInput?.(event.currentTarget.value)}
    />
    {children}
  </label>
);
