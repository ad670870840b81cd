import type { Health, Provider, ServedModel } from "../api/providers.js";
import { duration, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Menu } from "../components/menu.js";
import { actions, type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { pauseItem } from "../pauses/pause-dialog.js";
import { retiredLast, retirementStage } from "./retirement.js";

/** What a provider serves, with what recent calls say, the prices in force and their source. */
export const ServedModelTable = ({ provider }: { readonly provider: Provider }) => (
  <TableFrame
    label={`Models of ${provider.id}`}
    class="provider-models"
    columns={[
      ...COLUMNS,
      actions<ServedModel>(({ model }) => (
        <Menu
          label={`Actions for ${model}`}
          items={[
            pauseItem(model, provider.id),
            { label: "Profile", href: `/profiles?${new URLSearchParams({ model })}` },
            {
              label: "Traces",
              href: `/traces?${new URLSearchParams({ provider: provider.id, model_id: model })}`,
            },
          ]}
        />
      )),
    ]}
    rows={retiredLast(provider.models, Date.now())}
    keyOf={({ model, upstream_model: upstream }) => `${model} ${upstream}`}
  />
);

const STATES: Readonly<Record<Health["state"], readonly [look: string, words: string]>> = {
  closed: ["good", "healthy"],
  half_open: ["warn", "recovering"],
  open: ["bad", "not called"],
};

const PER_MILLION = "US dollars per million tokens, by the settings or the public list";

const COLUMNS: readonly Column<ServedModel>[] = [
  {
    head: "Model",
    look: "clip",
    titleOf: ({ model, upstream_model: upstream }) =>
      upstream === model ? model : `${model}, there ${upstream}`,
    cell: ({ model }) => <Plain text={model} />,
  },
  {
    head: "Health",
    hint: "After several failures in a row, or one of the account, a model is not called until one request tries it again",
    cell: ({ health: { state, reason } }) => (
      <>
        <span class={`pill ${STATES[state][0]}`}>{STATES[state][1]}</span>{" "}
        <span class="muted small">{reason}</span>
      </>
    ),
  },
  numeric("Errors", ({ health }) => percent(health.error_rate)),
  numeric("First token", ({ health }) => duration(health.p50_ttft_ms)),
  priced("Input / M", ({ price }) => price?.input_usd_per_mtok ?? null, { hint: PER_MILLION }),
  priced("Cached / M", ({ price }) => price?.cached_input_usd_per_mtok ?? null, { hint: PER_MILLION }),
  priced("Output / M", ({ price }) => price?.output_usd_per_mtok ?? null, { hint: PER_MILLION }),
  {
    head: "Retires",
    hint: "The day on which the provider stops serving it, by its announcements, and what is to take its place",
    look: "tight",
    cell: ({ retires_at: day, successor }) => (
      <>
        {day === null ? UNKNOWN : <Retirement day={day} />}
        {successor !== null && <Plain text={` then ${successor}`} />}
      </>
    ),
  },
  numeric("Context", ({ context_tokens: tokens }) => (tokens === null ? UNKNOWN : shortCount(tokens))),
];

function Retirement({ day }: { readonly day: string }) {
  switch (retirementStage(day, Date.now())) {
    case "retired":
      return <span class="pill">retired {day}</span>;
    case "soon":
      return <span class="pill warn">{day}</span>;
    default:
      return <span>{day}</span>;
  }
}
