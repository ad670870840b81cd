import type { Candidate, Choice, NearestPrompt, Routing } from "../api/router.js";
import { count, dollars, percent, UNKNOWN } from "../components/format.js";
import { Section } from "../components/page.js";
import { type Column, numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { promptSummary } from "./evidence.js";

const MOST_CANDIDATES = 12;
const SOURCES = { dollars: "recorded dollars", tokens: "counted tokens", none: "no record" } as const;

/** What an explained decision rests on: what was read of the prompt, the parts of expected costs, and the prompts that decided. */
export function Why({ routing }: { readonly routing: Routing }) {
  const { prompt, anchors = [], candidates } = routing;
  if (prompt === undefined) return null;
  return (
    <>
      <Section title="What the costs are made of" lead={promptSummary(prompt)} frame="none">
        <TableFrame
          label="Parts of the expected costs"
          columns={PARTS}
          rows={candidates
            .slice(0, MOST_CANDIDATES)
            .flatMap(({ model, parts }) => (parts === undefined ? [] : { model, parts }))}
          keyOf={({ model }) => model}
        />
        <p class="muted small">
          Visible: by the prompt's text × measured answers near it × the model. Hidden: of the model at its
          effort on a prompt of medium difficulty × difficulty. Bill: what is billed over the price of these
          tokens, and what it was learned from.
        </p>
      </Section>
      <Section title="Profiled prompts used" frame="none">
        <TableFrame
          label="Profiled prompts that decided"
          rows={anchors}
          keyOf={({ id }) => id}
          columns={[
            { head: "Profiled prompt", cell: ({ id }) => <code>{id}</code> },
            { head: "From", cell: ({ source }) => <Plain text={source} /> },
            { head: "Similarity", kind: "numeric", cell: ({ similarity }) => similarity.toFixed(3) },
            { head: "Weight", kind: "numeric", cell: ({ weight }) => percent(weight) },
          ]}
        />
      </Section>
    </>
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
      lead={
        <>
          The profiled prompts most similar to this one, with the scores of the models on the slider
          {models.length < slider.length &&
            ` (${slider.length - models.length} of ${slider.length} have none)`}
          . Profiles hold scores, not prompts.
        </>
      }
      frame="none"
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
