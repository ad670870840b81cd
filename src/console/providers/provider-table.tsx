import type { ComponentChildren } from "preact";
import type { Pause } from "../api/pauses.js";
import type { Provider } from "../api/providers.js";
import type { Cause, Point } from "../api/statistics.js";
import { totalsOf } from "../charts/figures.js";
import { count, duration, percent, share } from "../components/format.js";
import { Link } from "../components/link.js";
import { Menu } from "../components/menu.js";
import { actions, type Column, numeric, TableFrame } from "../components/table.js";
import { Moment, Plain } from "../components/text.js";
import { choicesFor } from "../pauses/pause-choices.js";
import { openPause } from "../pauses/pause-dialog.js";
import { errorLook, lastCauseAt, stateOf, variablesIn, worstCalls } from "./provider-health.js";
import { retiringSoon } from "./retirement.js";

interface ProviderTableProps {
  readonly providers: readonly Provider[];
  readonly pauses: readonly Pause[];
  /** What they did over the range, a row for each; undefined while it is not known. */
  readonly totals: readonly Point[] | undefined;
  readonly causes: readonly Cause[];
  /** Name of the range. */
  readonly range: string;
  readonly tools: ComponentChildren;
  readonly onTest: (provider: string) => void;
}

/** The providers that are switched on, a row for each. */
export const ProviderTable = ({ providers, tools, ...facts }: ProviderTableProps) => (
  <TableFrame
    tools={tools}
    label="Providers"
    scrolls="page"
    ordered="sort"
    columns={columnsOf(facts)}
    rows={providers}
    keyOf={({ id }) => id}
  />
);

function columnsOf({
  pauses,
  totals = [],
  causes,
  range,
  onTest,
}: Omit<ProviderTableProps, "providers" | "tools">): readonly Column<Provider>[] {
  const pointOf = ({ id }: Provider) => totals.find(({ group }) => group === id);
  const requestsOf = (provider: Provider) => pointOf(provider)?.requests ?? 0;
  const failedOf = (provider: Provider): number | null => {
    const point = pointOf(provider);
    if (point === undefined) return null;
    const { failed, requests } = totalsOf([point]);
    return share(failed, requests);
  };
  const latencyOf = (provider: Provider) => pointOf(provider)?.latency_ms?.p50 ?? null;
  const state = (provider: Provider) => stateOf(provider, { pauses, failed: failedOf(provider) });
  return [
    {
      head: "Provider",
      look: "clip",
      values: [{ name: "provider", of: ({ id }) => id }],
      cell: ({ id, type }) => (
        <Link href={`/providers?${new URLSearchParams({ range, provider: id })}`} title={type}>
          <span class="initial" aria-hidden="true">
            {id.slice(0, 1).toUpperCase()}
          </span>
          <Plain text={id} />
        </Link>
      ),
    },
    {
      head: "State",
      look: "clip provider-state",
      hint: "By the pauses of operators, by recent calls, and by requests",
      values: [{ name: "state", of: (provider) => state(provider).words }],
      titleOf: ({ id }) => causeText(lastCauseAt(id, causes)),
      cell: (provider) => {
        const { look, words } = state(provider);
        return (
          <>
            <span class={`pill ${look}`}>{words}</span>{" "}
            {words === "paused" && (
              <PauseText
                of={pauses.find(({ kind, target }) => kind === "provider" && target === provider.id)}
              />
            )}
          </>
        );
      },
    },
    numeric("Calls failed, now", (provider) => <Failed share={worstCalls(provider)} />, {
      hint: "Of recent calls to its worst model",
      values: [{ name: "calls_failed", of: worstCalls }],
    }),
    numeric("Requests", (provider) => count(requestsOf(provider)), {
      values: [{ name: "requests", of: requestsOf }],
    }),
    numeric("Requests failed", (provider) => <Failed share={failedOf(provider)} />, {
      hint: "After retries and fallbacks, of those whose last call was to it",
      values: [{ name: "requests_failed", of: failedOf }],
    }),
    numeric("Latency p50", (provider) => duration(latencyOf(provider)), {
      values: [{ name: "latency_ms_p50", of: latencyOf }],
    }),
    numeric(
      "Models",
      ({ models }) => {
        const retiring = retiringSoon(models, Date.now()).length;
        return (
          <>
            {retiring > 0 && <span class="pill warn">{count(retiring)} retiring soon</span>}{" "}
            {count(models.length)}
          </>
        );
      },
      { values: [{ name: "models", of: ({ models }) => models.length }] },
    ),
    {
      head: "Key",
      look: "clip muted",
      cell: ({ keys, remedy }) => {
        const unusable = keys.filter((key) => key.state !== "usable").length;
        if (unusable > 0)
          return (
            <span class="pill warn">
              {count(unusable)} of {count(keys.length)} not used
            </span>
          );
        return keys.length > 0 ? `${count(keys.length)} keys` : variablesIn(remedy).join(", ");
      },
    },
    actions(({ id, models }) => (
      <Menu
        label={`Actions for ${id}`}
        items={[
          ...(models.length === 0 ? [] : [{ label: "Test connection", onSelect: () => onTest(id) }]),
          { label: "Pause…", onSelect: () => openPause({ choices: choicesFor(null, id) }) },
          { label: "Models and keys", href: `/providers?${new URLSearchParams({ range, provider: id })}` },
          { label: "Traces", href: `/traces?${new URLSearchParams({ provider: id, range })}` },
          { label: "Failures", href: `/failures?${new URLSearchParams({ q: id, range })}` },
        ]}
      />
    )),
  ];
}

const Failed = ({ share: rate }: { readonly share: number | null }) => (
  <span class={rate === null || errorLook(rate) === "good" ? "" : "bad-figure"}>{percent(rate)}</span>
);

const PauseText = ({ of }: { readonly of: Pause | undefined }) =>
  of === undefined ? null : (
    <small class="muted">
      by <Plain text={of.created_by_name ?? of.created_by} />
      {of.ends_at !== null && (
        <>
          , ends <Moment at={of.ends_at} />
        </>
      )}
    </small>
  );

const causeText = (cause: Cause | undefined): string =>
  cause === undefined ? "" : `Last failure: ${cause.code}, ${cause.model}: ${cause.message}`;
