import type { Health, Provider, ServedModel } from "../api/providers.js";
import { duration, percent, shortCount, UNKNOWN } from "../components/format.js";
import { Menu } from "../components/menu.js";
import { type Column, numeric, priced, TableFrame } from "../components/table.js";
import { Plain } from "../components/text.js";
import { choicesFor } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import { retiredLast, retirementStage } from "./retirement.js";

/** What a provider serves, with what recent calls say, the prices in force and their source. */
export const ServedModelTable = ({ provider }: { readonly provider: Provider }) => (
  <TableFrame
    label={`Models of ${provider.id}`}
    class="provider-models"
    columns={[
      ...COLUMNS,
      {
        head: "Actions",
        kind: "unseen",
        look: "right",
        cell: ({ model }) => (
          <Menu
            label={`Actions for ${model}`}
            items={[
              {
                label: "Pause or redirect…",
                onSelect: () => openPause({ choices: choicesFor(model, provider.id) }),
              },
              { label: "Profile", href: `/profiles?${new URLSearchParams({ model })}` },
              {
                label: "Traces",
                href: `/traces?${new URLSearchParams({ provider: provider.id, model_id: model })}`,
              },
            ]}
          />
        ),
      },
    ]}
    rows={retiredLast(provider.models, Date.now())}
    keyOf={({ model, upstream_model: upstream }) => `${model} ${upstream}`}
  />
);

const PER_MILLION = "US dollars per million tokens, by the settings or the public list";

const COLUMNS: readonly Column<ServedModel>[] = [
  {
    head: "Model",
    look: "clip",
    titleOf: ({ model, upstream_model: upstream }) =>
      upstream === model ? model : `${model}, there ${upstream}`,
    cell: ({ model }) => <Plain text={model} />,
  },
  { head: "Health", cell: ({ health }) => <Breaker health={health} /> },
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

function Breaker({ health }: Pick<ServedModel, "health">) {
  return (
    <>
      <BreakerPill state={health.state} />
      {health.reason !== null && <span class="muted small"> {health.reason}</span>}
    </>
  );
}

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

const SHOWN: Readonly<
  Record<Health["state"], { readonly look: string; readonly words: string; readonly title: string }>
> = {
  closed: { look: "good", words: "healthy", title: "Circuit closed: requests are sent." },
  half_open: { look: "warn", words: "recovering", title: "Circuit half open: one trial request is allowed." },
  open: {
    look: "bad",
    words: "not called",
    title:
      "After several failures in a row, or one of the account, it is left alone until one request tries it again.",
  },
};

function BreakerPill({ state }: Pick<Health, "state">) {
  const { look, words, title } = SHOWN[state];
  return (
    <span class={`pill ${look}`} title={title}>
      {words}
    </span>
  );
}
