import { useState } from "preact/hooks";
import { type ConnectionTest, listProviders, type Provider, testProvider } from "../api/providers.js";
import { type Cause, dateFilters, fetchCauses, fetchSeries, type Point } from "../api/statistics.js";
import { RANGE_NAMES, type Range, rangeNamed, startOf } from "../charts/ranges.js";
import { Segments } from "../components/controls.js";
import { dollars, duration } from "../components/format.js";
import { PageHead } from "../components/page.js";
import { Empty, Loaded, Loading, Notice, useAction, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { usePauses } from "../pauses/pause-dialog.js";
import { type Activity, ProviderDetail } from "./provider-detail.js";
import { ProviderTable } from "./provider-table.js";

/** Who runs the models: configured or not, well or not, and for what price. */
export function ProvidersPage() {
  const [query, change] = useQuery();
  const range = rangeNamed(query.get("range") ?? "24h");
  const providers = useResource("providers", listProviders);
  const activity = useResource(range.name, (signal) => loadActivity(range, signal));
  const pauses = usePauses();
  const [test, setTest] = useState<ConnectionTest>();
  const { run, running, fault } = useAction(async (_signal, provider: string) => {
    setTest(undefined);
    setTest(await testProvider(provider));
    providers.reload();
  });
  return (
    <>
      <PageHead title="Providers" />
      <ActivePauses pauses={(pauses.value ?? []).filter(({ kind }) => kind !== "key")} />
      {running !== undefined && <Loading>Asking {running[0]} for at most 16 tokens…</Loading>}
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      {test !== undefined && <Result test={test} />}
      <Loaded resource={providers}>
        {({ data: list, catalog_as_of: day }) => {
          const enabled = list.filter((provider) => provider.enabled);
          const chosen = enabled.find(({ id }) => id === query.get("provider"));
          return (
            <>
              {enabled.length === 0 ? (
                <Empty title="No provider is configured">
                  Requests can be routed but not run. Set one of the variables below in <code>.env</code>.
                </Empty>
              ) : (
                <ProviderTable
                  providers={enabled}
                  pauses={pauses.value ?? []}
                  totals={activity.value?.totals}
                  causes={activity.value?.causes ?? []}
                  range={range.name}
                  tools={
                    <Segments
                      label="Range"
                      values={RANGE_NAMES}
                      value={range.name}
                      onChange={(value) => change({ range: value }, "add")}
                    />
                  }
                  onTest={run}
                />
              )}
              {chosen !== undefined && <ProviderDetail provider={chosen} activity={activity.value} />}
              <OtherProviders
                providers={list.filter((provider) => !provider.enabled)}
                isOpen={enabled.length === 0}
              />
              <p class="muted small">
                Models and public prices as of {day}; <code>sextant catalog update</code> installs newer ones.
              </p>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

interface Loadable extends Activity {
  /** By provider, in one step. */
  readonly totals: readonly Point[];
  /** What went wrong. */
  readonly causes: readonly Cause[];
}

/** Undefined while traces cannot be asked: the rest of the page does without. */
async function loadActivity(range: Range, signal: AbortSignal): Promise<Loadable | undefined> {
  const startMs = startOf(range, Date.now());
  try {
    const [points, totals, { data: causes }] = await Promise.all([
      fetchSeries({ startMs, stepMs: range.stepMs, by: "provider" }, signal),
      fetchSeries({ startMs, stepMs: 2 * range.lengthMs, by: "provider" }, signal),
      fetchCauses(dateFilters(startMs), signal),
    ]);
    return { range, startMs, points, totals, causes };
  } catch {
    return undefined;
  }
}

interface OtherProvidersProps {
  readonly providers: readonly Provider[];
  readonly isOpen: boolean;
}

/** Providers that would be switched on by a variable. */
const OtherProviders = ({ providers, isOpen }: OtherProvidersProps) => (
  <details class="section" open={isOpen}>
    <summary>Add a provider</summary>
    <p class="muted small">
      Set its variable in <code>.env</code>: it is taken in within seconds, without a restart.
    </p>
    <dl class="facts wide">
      {providers.map(({ id, remedy }) => (
        <div key={id}>
          <dt>
            <Plain text={id} />
          </dt>
          <dd class="small">
            <Remedy text={remedy} />
          </dd>
        </div>
      ))}
    </dl>
  </details>
);

/** "set A and B", the names as what they are, or a sentence with names in backticks. */
function Remedy({ text }: { readonly text: string }) {
  const names = text.replace(/^set /, "");
  const marked = names.includes("`") ? names : `\`${names.replaceAll(" and ", "` and `")}\``;
  return <>{marked.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

function Result({ test }: { readonly test: ConnectionTest }) {
  const { ok, provider, model, code, status, message, latency_ms: latency, cost_usd: cost } = test;
  return (
    <Notice kind={ok ? "success" : "error"}>
      <Plain text={`${provider}/${model}`} />{" "}
      {ok ? "answered" : `failed with ${code}${status === null ? "" : ` (${status})`}`} after{" "}
      {duration(latency)}
      {cost === null ? (ok ? ", at an unknown cost" : "") : `, for ${dollars(cost)}`}.
      {message !== null && (
        <>
          {" "}
          <Plain text={message} />
        </>
      )}
    </Notice>
  );
}
