import { IncidentStrip, Incidents, useAttention } from "../alerts/incidents.js";
import { DIMENSIONS, dimensionNamed, dimensionTitle } from "../api/dimensions.js";
import { listKeys } from "../api/keys.js";
import { fetchValue } from "../api/statistics.js";
import { traceValues } from "../api/traces.js";
import { Breakdown } from "../charts/breakdown.js";
import { RANGE_NAMES, rangeNamed, rangeOf, startOf } from "../charts/ranges.js";
import { Segments, Select } from "../components/controls.js";
import { PageHead } from "../components/page.js";
import { current, Empty, Loading, Notice, useResource } from "../components/resource.js";
import { useQuery } from "../components/use-query.js";
import { isNewGateway, LazyStartCard } from "../start/new-gateway.js";
import { AuditLog } from "./audit-log.js";
import { Charts } from "./charts.js";
import { StatCards } from "./stat-cards.js";
import { TimeChoice } from "./time-choice.js";
import { useFigures } from "./use-figures.js";

/** How long what decisions were expected to save is kept. */
const VALUE_MS = 300_000;

/** What the gateway does: requests, errors, spend, tokens and times, live. */
export function OverviewPage() {
  const [query, change] = useQuery();
  const range = rangeOf(query);
  const by = dimensionNamed(query.get("by"));
  // The page is of its figures, and the store answers one question after the other.
  const { figures, fault } = useFigures(range, by);
  const attention = useAttention();
  const keys = useResource(by === "key" ? "keys" : undefined, listKeys);
  const values = useResource("values", traceValues);
  // That of the first start is not among the keys that can be changed.
  const named = [...(keys.value ?? []), ...(values.value?.keys ?? [])];
  const nameOf = (group: string): string =>
    by === "key" ? (named.find(({ id }) => id === group)?.name ?? group) : group;
  const tags = (values.value?.metadata_keys ?? []).flatMap((key) =>
    key === "" ? [] : [`metadata.${key}` as const],
  );
  const dimensions = [...new Set([...DIMENSIONS, ...tags, by])];
  const asked = `${range.name} ${Math.floor(Date.now() / VALUE_MS)}`;
  const value = useResource(figures === undefined ? undefined : asked, (signal) =>
    fetchValue({ startMs: startOf(range, Date.now()), endMs: range.endMs }, signal),
  );
  const zoom = (fromMs: number, toMs: number): void =>
    change(
      { from: new Date(Math.round(fromMs)).toISOString(), to: new Date(Math.round(toMs)).toISOString() },
      "add",
    );
  return (
    <>
      <PageHead title="Overview">
        <Select
          label="Split by"
          look="slim versus"
          options={dimensions.map((dimension) => [dimension, dimensionTitle(dimension)])}
          value={by}
          onChange={(value) => change({ by: value }, "add")}
        />
        <Segments
          label="Range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => change({ range: value, from: null, to: null }, "add")}
        />
      </PageHead>
      {isNewGateway(values.value) && <LazyStartCard />}
      <IncidentStrip of={attention.value} />
      {fault !== undefined && <Notice kind="error">{fault} Retrying automatically…</Notice>}
      {figures === undefined ? (
        fault === undefined && <Loading />
      ) : figures.all.length === 0 && isNewGateway(values.value) ? null : (
        <>
          <StatCards
            figures={figures}
            range={range}
            value={current(value).value}
            attention={attention.value}
          />
          <TimeChoice
            key={range.name}
            range={range}
            startMs={figures.startMs}
            backTo={rangeNamed(query.get("range")).name}
            onChoose={zoom}
            onBack={() => change({ from: null, to: null }, "add")}
          />
          {figures.all.length === 0 ? (
            <Empty title="No requests in this period">
              New requests appear here within seconds. Try a longer period.
            </Empty>
          ) : (
            <Charts figures={figures} range={range} by={by} nameOf={nameOf} onZoom={zoom} />
          )}
          {attention.value && <Incidents of={attention.value} onChanged={attention.reload} />}
          <Breakdown figures={figures} by={by} nameOf={nameOf} range={range} />
          <AuditLog of={attention.value?.events ?? []} />
        </>
      )}
    </>
  );
}
