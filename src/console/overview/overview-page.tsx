import { useSearchParams } from "wouter-preact";
import { listKeys } from "../api/keys.js";
import { DIMENSIONS } from "../api/series.js";
import { Empty } from "../components/empty.js";
import { Notice } from "../components/notice.js";
import { Segments } from "../components/segments.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { Breakdown } from "./breakdown.js";
import { Charts } from "./charts.js";
import { RANGE_NAMES, rangeNamed } from "./ranges.js";
import { StatCards } from "./stat-cards.js";
import { useFigures } from "./use-figures.js";

/** What the gateway does: requests, errors, spend, tokens and times, live. */
export function OverviewPage() {
  const [query, setQuery] = useSearchParams();
  const range = rangeNamed(query.get("range"));
  const by = DIMENSIONS.find((dimension) => dimension === query.get("by")) ?? "model";
  const { figures, fault } = useFigures(range, by);
  const keys = useResource(by === "key" ? "keys" : undefined, listKeys);
  const nameOf = (group: string): string => keys.value?.find(({ id }) => id === group)?.name ?? group;
  const set = (name: string, value: string): void =>
    setQuery(
      (last) => {
        last.set(name, value);
        return last;
      },
      { replace: true },
    );
  return (
    <>
      <PageHead title="Overview" lead={`Gateway activity in ${range.spoken}, updated live.`}>
        <Segments
          label="Split by"
          name="by"
          values={DIMENSIONS}
          value={by}
          onChange={(value) => set("by", value)}
        />
        <Segments
          label="Range"
          name="range"
          values={RANGE_NAMES}
          value={range.name}
          onChange={(value) => set("range", value)}
        />
      </PageHead>
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
      {figures === undefined ? (
        fault === undefined && (
          <p class="muted" role="status">
            Loading…
          </p>
        )
      ) : (
        <>
          <StatCards figures={figures} range={range} />
          {figures.all.length === 0 ? (
            <div class="card">
              <Empty title="No requests in this period">
                New requests appear here within seconds. Try a longer period.
              </Empty>
            </div>
          ) : (
            <>
              <Charts figures={figures} range={range} by={by} nameOf={nameOf} />
              <Breakdown figures={figures} by={by} nameOf={nameOf} />
            </>
          )}
        </>
      )}
    </>
  );
}
