import type { Candidate, Choice, NearestPrompt, Routing } from "../api/router.js";
import { count, dollars, percent, UNKNOWN } from "../components/format.js";
import { Section } from "../components/page.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { promptSummary } from "./evidence.js";

const MOST_CANDIDATES = 12;
const SOURCES = { dollars: "recorded dollars", tokens: "counted tokens", none: "no record" } as const;

/** What was read of the prompt, and the parts of expected costs. */
export function Why({ routing }: { readonly routing: Routing }) {
  const { prompt, candidates } = routing;
  if (prompt === undefined) return null;
  return (
    <Section title="What the costs are made of" lead={promptSummary(prompt)}>
      <TableFrame
        label="Parts of the expected costs"
        columns={PARTS}
        rows={candidates
          .slice(0, MOST_CANDIDATES)
          .flatMap(({ model, parts }) => (parts === undefined ? [] : { model, parts }))}
        keyOf={({ model }) => model}
      />
    </Section>
  );
}

const factor = (value: number): string => value.toPrecision(2);

interface Explained {
  readonly model: string;
  readonly parts: NonNullable<Candidate["parts"]>;
}

const PARTS: readonly Column<Explained>[] = [
  { head: "Candidate", look: "clip", cell: ({ model }) => <Plain text={model} /> },
  {
    head: "Visible tokens",
    hint: "By the prompt's text × measured answers near it × the model",
    look: "tight",
    cell: ({ parts }) => (
      <>
        {count(Math.round(parts.visible_tokens))}{" "}
        <span class="muted">
          near × {factor(parts.nearby_ratio)}, model × {factor(parts.model_ratio)}
        </span>
      </>
    ),
  },
  {
    head: "Hidden tokens",
    hint: "Of the model at its effort on a prompt of medium difficulty × difficulty",
    look: "tight",
    cell: ({ parts }) => (
      <>
        {count(Math.round(parts.hidden_tokens))}{" "}
        <span class="muted">
          = {count(Math.round(parts.hidden_tokens_medium))} × {factor(parts.difficulty_factor)}
        </span>
      </>
    ),
  },
  { head: "In use", look: "tight", cell: ({ parts }) => `× ${factor(parts.length_correction)}` },
  {
    head: "Bill",
    hint: "What is billed over the price of these tokens, and what it was learned from",
    cell: ({ parts: { bill_ratio: ratio, bill_source: source, agent_task: task } }) => (
      <>
        × {factor(ratio)} <span class="muted">{SOURCES[source]}</span>
        {task !== null && <span class="muted">; an agent's whole task {dollars(task.usd)}</span>}
      </>
    ),
  },
  numeric(
    "Per million, in and out",
    ({ parts: { input_usd_per_mtok: input, output_usd_per_mtok: output } }) =>
      input === null ? UNKNOWN : `${dollars(input)}, ${dollars(output)}`,
  ),
];

interface NearestPromptsProps {
  readonly nearest: readonly NearestPrompt[];
  readonly choices: readonly Choice[];
}

const MOST_MODELS = 6;

/** The profiled prompts that the estimate rests on most, and how the models along the slider did on them. */
export function NearestPrompts({ nearest, choices }: NearestPromptsProps) {
  const slider = [...new Set(choices.map(({ model }) => model))].slice(0, MOST_MODELS);
  // Columns without a single score say nothing.
  const models = slider.filter((model) => nearest.some(({ scores }) => scores[model] !== undefined));
  return (
    <Section
      title="Closest graded prompts"
      lead={`Scores of the models on the slider${models.length < slider.length ? `; ${slider.length - models.length} of ${slider.length} have none` : ""}. Profiles hold scores, not prompts.`}
    >
      <TableFrame
        label="Nearest profiled prompts"
        rows={nearest}
        keyOf={(_, at) => at}
        columns={[
          { head: "From", cell: ({ benchmark }) => <Plain text={benchmark} /> },
          numeric<NearestPrompt>("Similarity", ({ similarity }) => similarity.toFixed(3)),
          numeric<NearestPrompt>("Ease", ({ ease }) => percent(ease)),
          ...models.map((model) =>
            numeric<NearestPrompt>(model, ({ scores }) => <Score value={scores[model]} />, {
              headLook: "model-head",
            }),
          ),
        ]}
      />
    </Section>
  );
}

function Score({ value }: { readonly value: number | undefined }) {
  if (value === undefined) return <span class="muted">{UNKNOWN}</span>;
  const look = value >= 0.99 ? "good" : value <= 0.01 ? "bad" : "";
  return <span class={`pill ${look}`}>{percent(value)}</span>;
}
