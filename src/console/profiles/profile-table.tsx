import type { Profile, Profiles } from "../api/router.js";
import { QualityCell } from "../components/bar.js";
import { count, counted, UNKNOWN } from "../components/format.js";
import { Link } from "../components/link.js";
import { Menu } from "../components/menu.js";
import { actions, type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { TextFilter } from "../components/text-filter.js";
import { useQuery } from "../components/use-query.js";
import { pauseItem } from "../pauses/pause-dialog.js";
import { BasisPill } from "./basis-pill.js";

/** Models with fewer graded answers are shown in grey (a guess: ± 0.05 on a quality of 0.5). */
const ENOUGH_SAMPLES = 100;

export function ProfileTable({ profiles }: { readonly profiles: Profiles }) {
  const [query] = useQuery();
  const part = query.get("q") ?? "";
  const shown = profiles.list
    .filter(({ model }) => model.toLowerCase().includes(part.toLowerCase()))
    .toSorted((left, right) => right.expected_quality - left.expected_quality);
  const hrefOf = (model: string): string => {
    const next = new URLSearchParams(query);
    next.set("model", model);
    return `/profiles?${next}`;
  };
  return (
    <TableFrame
      label="Profiles"
      scrolls="page"
      ordered="sort"
      tools={
        <div class="row">
          <TextFilter label="Part of a model's name" placeholder="Filter by name" />
          <span class="muted small" role="status">
            {counted(shown.length, "model")}
          </span>
        </div>
      }
      columns={columnsOf(hrefOf)}
      rows={shown}
      keyOf={({ model }) => model}
      lookOf={({ samples }) => (samples < ENOUGH_SAMPLES ? "dim" : "")}
    />
  );
}

const columnsOf = (hrefOf: (model: string) => string): readonly Column<Profile>[] => [
  {
    head: "Model",
    look: "clip",
    values: [{ name: "model", of: ({ model }) => model }],
    cell: ({ model, dominated_by: by }) => (
      <>
        <Link href={hrefOf(model)}>
          <Plain text={model} />
        </Link>
        {by !== null && (
          <span class="pill beside" title={`Never chosen: ${dominatedText(by)}`}>
            dominated
          </span>
        )}
      </>
    ),
  },
  {
    head: "Expected quality / error",
    hint: "Over all topics, adjusted for the difficulty of prompts",
    values: [
      { name: "quality", label: "Expected quality", of: ({ expected_quality: quality }) => quality },
      { name: "quality_stderr", label: "error", of: ({ quality_stderr: error }) => error },
    ],
    cell: (profile) => <QualityCell quality={profile.expected_quality} error={profile.quality_stderr} />,
  },
  {
    head: "Basis",
    values: [{ name: "basis", of: ({ basis }) => basis }],
    cell: ({ basis }) => <BasisPill basis={basis} />,
  },
  numeric("Samples", ({ samples }) => count(samples), {
    hint: `Graded answers; models with fewer than ${ENOUGH_SAMPLES} are grey`,
    values: [{ name: "samples", of: ({ samples }) => samples }],
  }),
  priced("Mean cost", ({ mean_cost_usd: cost }) => cost, { name: "mean_cost_usd" }),
  numeric("Answer length", lengthRatio, {
    hint: "Observed answer tokens, as a multiple of the profile's expectation",
    values: [{ name: "answer_length", of: ({ length_correction: correction }) => correction?.ratio ?? null }],
  }),
  actions(({ model }) => (
    <Menu
      label={`Actions for ${model}`}
      items={[
        pauseItem(model, null),
        { label: "Traces", href: `/traces?${new URLSearchParams({ model_id: model })}` },
      ]}
    />
  )),
];

/** Why an effort is never chosen. */
export const dominatedText = (by: string): string => `${by} is no worse by the profiles and costs no more`;

const lengthRatio = ({ length_correction: correction }: Profile): string =>
  correction === null ? UNKNOWN : `×${correction.ratio.toFixed(2)} (${count(correction.answers)})`;
