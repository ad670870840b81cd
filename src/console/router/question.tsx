import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/controls.js";

/** The prompt in the field. It stays while one looks at other pages, and is in no address: addresses end up in histories. */
export const prompt = signal("");

/** Several prompts, one a line: kept in the same way. */
export const prompts = signal("");

export const EXAMPLES: readonly string[] = [
  "What is the capital of Australia?",
  "Prove that there are infinitely many primes of the form 4k + 3.",
  "Write a Python function that merges overlapping intervals, with tests.",
  "A patient on warfarin is prescribed fluconazole. What has to be watched, and why?",
];

/** The value once it has stayed the same for a while: what is being typed is not asked about at every letter. */
export function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs);
    return () => clearTimeout(timer);
  }, [value, afterMs]);
  return settled;
}

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
    <Button look="slim" onClick={() => onChange("all")}>
      Decide among all models
    </Button>
  );
}
