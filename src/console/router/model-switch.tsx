/** Which models are candidates: those that a configured provider serves now, or all live models with a profile. */
export type ModelChoice = "usable" | "all";

interface ModelSwitchProps {
  readonly models: ModelChoice;
  readonly onChange: (models: ModelChoice) => void;
}

export function ModelSwitch({ models, onChange }: ModelSwitchProps) {
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={models === "all"}
        onChange={(event) => onChange(event.currentTarget.checked ? "all" : "usable")}
      />
      <span>Also models that no configured provider serves</span>
    </label>
  );
}

/** Where the models in use are too few to decide among. */
export function ShowAll({ onChange }: Pick<ModelSwitchProps, "onChange">) {
  return (
    <button class="button slim" type="button" onClick={() => onChange("all")}>
      Decide among all models
    </button>
  );
}
