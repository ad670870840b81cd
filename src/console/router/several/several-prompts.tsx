import { type Explanation, explain } from "../../api/router.js";
import { Empty, Loading, Notice, useResource } from "../../components/resource.js";
import { EXAMPLES, type ModelChoice, ModelSwitch, prompts, ShowAll, useSettled } from "../question.js";
import { ChoiceTable } from "./choice-table.js";

const TYPING_MS = 500;
const MOST_PROMPTS = 25;
const AT_ONCE = 4;

interface SeveralPromptsProps {
  readonly models: ModelChoice;
  readonly onModels: (models: ModelChoice) => void;
}

/** Which model each of several prompts goes to, at each cost weight. */
export function SeveralPrompts({ models, onModels }: SeveralPromptsProps) {
  const text = useSettled(prompts.value, TYPING_MS);
  const all = linesOf(text);
  const shown = all.slice(0, MOST_PROMPTS);
  const key = shown.length === 0 ? undefined : JSON.stringify([models, ...shown]);
  const explanations = useResource(key, (signal) => explainAll(shown, { models, signal }));
  const answers = explanations.isLoading || key === undefined ? undefined : explanations.value;
  return (
    <>
      <section class="card padded stack" aria-label="Question">
        <label class="field">
          <span>Prompts, one a line</span>
          <textarea
            class="input"
            rows={6}
            dir="auto"
            spellcheck={false}
            value={prompts.value}
            onInput={(event) => {
              prompts.value = event.currentTarget.value;
            }}
            placeholder="Enter a prompt a line"
          />
        </label>
        <div class="row">
          <button
            class="button slim"
            type="button"
            onClick={() => {
              prompts.value = EXAMPLES.join("\n");
            }}
          >
            Take four examples
          </button>
          <ModelSwitch models={models} onChange={onModels} />
        </div>
      </section>
      {all.length > MOST_PROMPTS && (
        <Notice kind="warning">
          The first {MOST_PROMPTS} of {all.length} prompts are shown.
        </Notice>
      )}
      {explanations.fault !== undefined && (
        <Notice kind="error">
          {explanations.fault} {models === "usable" && <ShowAll onChange={onModels} />}
        </Notice>
      )}
      {key === undefined && (
        <Empty title="No prompts yet">A table of the chosen models appears as you type.</Empty>
      )}
      {explanations.isLoading && explanations.fault === undefined && <Loading>Deciding…</Loading>}
      {answers !== undefined && <ChoiceTable prompts={shown} explanations={answers} />}
    </>
  );
}

const linesOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
  ),
];

/** In the order of the prompts, a few at once. */
async function explainAll(
  all: readonly string[],
  { models, signal }: { readonly models: ModelChoice; readonly signal: AbortSignal },
): Promise<readonly Explanation[]> {
  const found: Explanation[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const questions = all
      .slice(at, at + AT_ONCE)
      .map((prompt) => ({ prompt, costWeight: 0, runnableOnly: models === "usable" }));
    found.push(...(await Promise.all(questions.map((question) => explain(question, signal)))));
  }
  return found;
}
