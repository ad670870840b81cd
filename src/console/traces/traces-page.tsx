import { useSearchParams } from "wouter-preact";
import { listTraces, type TraceList, traceValues } from "../api/traces.js";
import { RANGE_NAMES } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { count } from "../components/format.js";
import { PageHead } from "../components/page.js";
import { Loaded, useResource } from "../components/resource.js";
import { isNewGateway, LazyStartCard } from "../start/new-gateway.js";
import {
  ALL_TIME,
  apiFilters,
  apiQuery,
  inOrder,
  inRange,
  isFiltered,
  orderIn,
  PAGE_SIZE,
  rangeIn,
} from "./filters.js";
import { ListTools } from "./list-tools.js";
import { TraceFilters } from "./trace-filters.js";
import { TracesTable } from "./trace-table.js";
import { useTail } from "./use-tail.js";

const RANGES = [...RANGE_NAMES, ALL_TIME];

/** Finished requests: every filter of the API, the range of time and the order, all of them in the address. */
export function TracesPage() {
  const [query, setQuery] = useSearchParams();
  const traces = useResource(query.toString(), (signal) => listTraces(apiQuery(query, Date.now()), signal));
  const isLive = query.has("live");
  const arrived = useTail(traces, { isLive, searchesTexts: query.has("q") });
  const values = useResource(traces.value?.total === 0 ? "values" : undefined, traceValues);
  const offset = Number(query.get("offset") ?? 0) || 0;
  const go = (next: URLSearchParams): void => setQuery(next);
  const turnTo = (to: number): void =>
    setQuery((last) => {
      last.delete("live");
      if (to <= 0) last.delete("offset");
      else last.set("offset", String(to));
      return last;
    });
  const size = Number(query.get("limit")) || PAGE_SIZE;
  return (
    <>
      <PageHead
        title="Traces"
        lead={isLive ? "New requests appear on top as they end." : "All accepted requests."}
      >
        <Segments
          label="Range"
          values={RANGES}
          value={rangeIn(query) ?? ""}
          onChange={(range) => go(inRange(query, range))}
        />
        <Button onClick={traces.reload}>Refresh</Button>
      </PageHead>
      <TraceFilters key={apiFilters(query, 0).toString()} query={query} onChange={go} />
      <ListTools query={query} onChange={go}>
        {traces.value !== undefined && <PageCount list={traces.value} offset={offset} />}
      </ListTools>
      <Loaded resource={traces}>
        {(list) => (
          <>
            {list.total === 0 && !isFiltered(query) && isNewGateway(values.value) && <LazyStartCard />}
            <TracesTable
              traces={list.traces}
              isFiltered={isFiltered(query)}
              order={orderIn(query)}
              arrived={arrived}
              onSort={(order) => go(inOrder(query, order))}
            />
            <Pager list={list} offset={offset} size={size} onTurn={turnTo} />
          </>
        )}
      </Loaded>
    </>
  );
}

interface PagerProps {
  readonly list: TraceList;
  readonly offset: number;
  readonly size: number;
  readonly onTurn: (offset: number) => void;
}

/** Which of the traces are shown; without any, the page says so below. */
function PageCount({ list, offset }: Pick<PagerProps, "list" | "offset">) {
  const end = offset + list.traces.length;
  return (
    <span class="muted number" role="status">
      {end > offset && `${count(offset + 1)}–${count(end)} of ${count(list.total)}`}
    </span>
  );
}

function Pager({ list, offset, size, onTurn }: PagerProps) {
  if (offset === 0 && !list.has_more) return null;
  return (
    <nav class="row pager" aria-label="Pages of traces">
      <Button look="slim" disabled={offset === 0} onClick={() => onTurn(offset - size)}>
        Previous
      </Button>
      <Button look="slim" disabled={!list.has_more} onClick={() => onTurn(offset + size)}>
        Next
      </Button>
    </nav>
  );
}
