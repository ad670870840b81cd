import type { Choice, NearestPrompt } from "../api/router.js";
import { percent, UNKNOWN } from "../components/format.js";
import { Section } from "../components/page.js";
import { numeric, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";

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
