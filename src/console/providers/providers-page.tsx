import { listPauses } from "../api/pauses.js";
import { listProviders, type Provider } from "../api/providers.js";
import { dateFilters, fetchCauses, fetchSeries } from "../api/statistics.js";
import { RANGE_NAMES, type Range, rangeNamed, startOf } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { PageHead, Section } from "../components/page.js";
import { Empty, Loaded, useResource } from "../components/resource.js";
import { Plain } from "../components/text.js";
import { useQuery } from "../components/use-query.js";
import { ActivePauses } from "../pauses/active-pauses.js";
import { type Activity, ProviderCard } from "./provider-card.js";

/** Who runs the models: configured or not, well or not, and for what price. */
export function ProvidersPage() {
  const [query, change] = useQuery();
  const range = rangeNamed(query.get("range") ?? "24h");
  const providers = useResource("providers", listProviders);
  const activity = useResource(range.name, (signal) => loadActivity(range, signal));
  const pauses = useResource("pauses", listPauses);
  const opened = query.getAll("open");
  const toggle = (id: string, isOpen: boolean): void =>
    change({ open: isOpen ? [...opened, id] : opened.filter((one) => one !== id) });
  return (
    <>
      <PageHead title="Providers" lead="Models, prices and health by provider.">
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => change({ range: value }, "add")}
        />
        <Button
          onClick={() => {
            providers.reload();
            activity.reload();
          }}
        >
          Refresh
        </Button>
      </PageHead>
      <ActivePauses pauses={pauses.value ?? []} onChanged={pauses.reload} />
      <Loaded resource={providers}>
        {({ data: list, catalog_as_of: day }) => {
          const enabled = list.filter((provider) => provider.enabled);
          return (
            <>
              {enabled.length === 0 ? (
                <Empty title="No provider is configured">
                  Requests can be routed but not run. Set one of the variables below in <code>.env</code>: it
                  takes effect within seconds.
                </Empty>
              ) : (
                enabled.map((provider) => (
                  <ProviderCard
                    key={provider.id}
                    provider={provider}
                    activity={activity.value}
                    isOpen={opened.includes(provider.id)}
                    onToggle={(isOpen) => toggle(provider.id, isOpen)}
                  />
                ))
              )}
              <DisabledProviders providers={list.filter((provider) => !provider.enabled)} />
              <p class="muted small">
                Models and public prices as of {day}. <code>sextant catalog update</code> installs newer ones.
              </p>
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Undefined while traces cannot be asked: the rest of the page does without. */
async function loadActivity(range: Range, signal: AbortSignal): Promise<Activity | undefined> {
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

/** Providers that would be switched on by a variable. */
function DisabledProviders({ providers }: { readonly providers: readonly Provider[] }) {
  if (providers.length === 0) return null;
  return (
    <Section
      title="Not configured"
      lead="Set the variable in .env, which takes effect within seconds, or in the gateway's environment, and restart."
    >
      <ul class="disabled-providers">
        {providers.map(({ id, remedy }) => (
          <li key={id}>
            <strong>
              <Plain text={id} />
            </strong>
            <Remedy text={remedy ?? ""} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** "set A and B", the names as what they are, or a sentence with names in backticks. */
function Remedy({ text }: { readonly text: string }) {
  const names = text.replace(/^set /, "");
  const marked = names.includes("`") ? names : `\`${names.replaceAll(" and ", "` and `")}\``;
  return (
    <span class="small">
      {marked.split("`").map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}
    </span>
  );
}
