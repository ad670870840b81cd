import { type Choice, type Explanation, explainAll } from "../api/router.js";
import { dollars, percent } from "../components/format.js";
import { Empty, Loading, Notice, useResource } from "../components/resource.js";
import { TableFrame } from "../components/table.js";
import { Plain, TwoLines } from "../components/text.js";
import { NoneNear } from "./candidates.js";
import { choiceAt } from "./choices.js";
import {
  DecisionFault,
  MOST_PROMPTS,
  ModelSwitch,
  PromptsField,
  usePrompts,
  useQuestion,
} from "./question.js";

/** Which model each of several prompts goes to, at each cost weight. */
export function SeveralPrompts() {
  const { models } = useQuestion();
  const { all, asked: shown } = usePrompts();
  const key = shown.length === 0 ? undefined : JSON.stringify([models, ...shown]);
  const explanations = useResource(key, (signal) =>
    explainAll(shown, { runnableOnly: models === "usable", signal }),
  );
  const answers = explanations.isLoading || key === undefined ? undefined : explanations.value;
  return (
    <>
      <section class="stack" aria-label="Question">
        <PromptsField>
          <ModelSwitch />
        </PromptsField>
      </section>
      {all.length > MOST_PROMPTS && (
        <Notice kind="warning">
          The first {MOST_PROMPTS} of {all.length} prompts are shown.
        </Notice>
      )}
      <DecisionFault fault={explanations.fault} />
      {key === undefined && (
        <Empty title="No prompts yet">A table of the chosen models appears as you type.</Empty>
      )}
      {explanations.isLoading && explanations.fault === undefined && <Loading>Deciding…</Loading>}
      {answers !== undefined && <ChoiceTable prompts={shown} explanations={answers} />}
    </>
  );
}

const WEIGHTS = [0, 0.2, 0.4, 0.6, 0.8, 1];

interface ChoiceTableProps {
  readonly prompts: readonly string[];
  /** One for each prompt. */
  readonly explanations: readonly Explanation[];
}

/** A row for each prompt, a column for each cost weight: which model, how good, at which cost. */
function ChoiceTable({ prompts, explanations }: ChoiceTableProps) {
  return (
    <TableFrame
      label="Chosen models by prompt and cost weight"
      rows={explanations}
      keyOf={(_, at) => prompts[at] ?? ""}
      columns={[
        {
          head: "Prompt",
          look: "prompt-cell",
          cell: ({ routing }, at) => (
            <>
              <Plain text={beginningOf(prompts[at] ?? "")} /> {routing.out_of_distribution && <NoneNear />}
            </>
          ),
        },
        ...WEIGHTS.map((weight) => ({
          head: headOf(weight),
          look: "prompt-models",
          cell: ({ choices }: Explanation) => <ChoiceCell choice={choiceAt(choices, weight)} />,
        })),
      ]}
    />
  );
}

const ChoiceCell = ({ choice }: { readonly choice: Choice | undefined }) =>
  choice === undefined ? (
    <span class="muted">–</span>
  ) : (
    <TwoLines
      look="number"
      below={`${percent(choice.expected_quality)} · ${dollars(choice.expected_cost_usd)}`}
    >
      <Plain text={choice.model} />
    </TwoLines>
  );

const headOf = (weight: number): string =>
  weight === 0 ? "0 · best" : weight === 1 ? "1 · cheapest" : weight.toFixed(1);

const MOST_CHARACTERS = 110;

const beginningOf = (prompt: string): string =>
  prompt.length <= MOST_CHARACTERS ? prompt : `${prompt.slice(0, MOST_CHARACTERS)}…`;
