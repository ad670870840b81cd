import type { Key } from "../api/keys.js";

interface LimitFieldsProps {
  readonly limits?: Key["limits"];
}

/** What is left empty is limited by the settings of the gateway. */
export function LimitFields({ limits }: LimitFieldsProps) {
  return (
    <div class="two-columns">
      <LimitField name="requests" label="Requests a minute" step="1" value={limits?.requests_per_minute} />
      <LimitField name="tokens" label="Tokens a minute" step="1" value={limits?.tokens_per_minute} />
      <LimitField name="usd" label="Budget, US$ a month" step="any" value={limits?.usd_per_month} />
    </div>
  );
}

interface LimitFieldProps {
  readonly name: string;
  readonly label: string;
  readonly step: "1" | "any";
  readonly value: number | null | undefined;
}

const LimitField = ({ name, label, step, value }: LimitFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <input
      class="input number"
      name={name}
      type="number"
      min={step === "1" ? "1" : "0"}
      step={step}
      placeholder="default"
      defaultValue={value === null || value === undefined ? "" : String(value)}
    />
  </label>
);
