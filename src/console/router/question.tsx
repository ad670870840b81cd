import { type Signal, signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { attention } from "../api/attention.js";
import { Button } from "../components/controls.js";
import { Notice } from "../components/resource.js";
import { useQuery } from "../components/use-query.js";
import { useSettled } from "../components/use-settled.js";
import { promptsIn } from "./comparison.js";

/** The prompt in the field. It stays while one looks at other pages, and is in no address: addresses end up in histories. */
export const prompt = signal("");

/** Several prompts in one text: kept in the same way. */
const prompts = signal("");

export const EXAMPLES: readonly string[] = [
  "What is the capital of Australia?",
  "Prove that there are infinitely many primes of the form 4k + 3.",
  "Write a Python function that merges overlapping intervals, with tests.",
  "A patient on warfarin is prescribed fluconazole. What has to be watched, and why?",
];

/** How many of several prompts are decided or asked. */
export const MOST_PROMPTS = 25;
/** Before each of the prompts that are compared. */
export const system = signal("");

export const TYPING_MS = 500;

/** The several prompts once typing has paused: all, and the first of them, which are asked about. */
export function usePrompts() {
  const all = promptsIn(useSettled(prompts.value, TYPING_MS));
  return { all, asked: all.slice(0, MOST_PROMPTS) };
}

interface PromptFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly of: Signal<string>;
  readonly rows?: number;
}

export const PromptField = ({ label, placeholder, of, rows = 6 }: PromptFieldProps) => (
  <label class="field">
    <span>{label}</span>
    <textarea
      class="input"
      rows={rows}
      dir="auto"
      spellcheck={false}
      placeholder={placeholder}
      value={of.value}
      onInput={(event) => {
        of.value = event.currentTarget.value;
      }}
    />
  </label>
);

/** For several prompts; children are beside the button below. */
export const PromptsField = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <PromptField label="Prompts" placeholder="Separated by a blank line, or by ---" of={prompts} />
    <div class="row">
      <Button
        look="slim"
        onClick={() => {
          prompts.value = EXAMPLES.join("\n\n");
        }}
      >
        Use examples
      </Button>
      {children}
    </div>
  </>
);

/** Which models are candidates: those that a configured provider serves now, or all live models with a profile. */
type ModelChoice = "usable" | "all";

/** What the address of the router says of the question. */
export function useQuestion() {
  const [query, change] = useQuery();
  const weight = Number(query.get("cost_weight") ?? Number.NaN);
  const models: ModelChoice = query.get("models") === "all" || hasNoProvider() ? "all" : "usable";
  return {
    query,
    change,
    models,
    costWeight: weight >= 0 && weight <= 1 ? weight : undefined,
    setCostWeight: (value: number) => change({ cost_weight: String(value) }),
    setModels: (value: ModelChoice) => change({ models: value === "all" ? value : null }),
  };
}

/** Then no model can be used, and the choice is among all. */
const hasNoProvider = (): boolean => attention.value.value?.providers.length === 0;

export function ModelSwitch() {
  const { models, setModels } = useQuestion();
  if (hasNoProvider())
    return <p class="muted small">No provider is configured yet: all models are candidates.</p>;
  return (
    <label class="tick">
      <input
        type="checkbox"
        checked={models === "all"}
        onChange={(event) => setModels(event.currentTarget.checked ? "all" : "usable")}
      />
      <span>Include models that no configured provider serves</span>
    </label>
  );
}

/** Why nothing was decided, and the way on where the models in use are too few to decide among. */
export function DecisionFault({ fault }: { readonly fault: string | undefined }) {
  const { models, setModels } = useQuestion();
  if (fault === undefined) return null;
  return (
    <Notice kind="error">
      {fault}{" "}
      {models === "usable" && (
        <Button look="slim" onClick={() => setModels("all")}>
          Decide among all models
        </Button>
      )}
    </Notice>
  );
}
