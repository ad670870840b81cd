import type { Key } from "../api/keys.js";

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
      <LimitField name="weight" label="Cost weight of auto, 0 to 1" step="any" max="1" value={costWeight} />
    </div>
  );
}

interface LimitFieldProps {
  readonly name: string;
  readonly label: string;
  readonly step: "1" | "any";
  readonly max?: string;
  readonly value: number | null | undefined;
}

const LimitField = ({ name, label, step, max, value }: LimitFieldProps) => (
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
    />
  </label>
);
