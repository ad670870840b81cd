import { useSearchParams } from "wouter-preact";
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportTraces,
  listTraces,
  type TraceList,
  traceValues,
} from "../api/traces.js";
import { RANGE_NAMES } from "../charts/ranges.js";
import { Button, Segments } from "../components/controls.js";
import { count } from "../components/format.js";
import { Menu } from "../components/menu.js";
import { PageHead } from "../components/page.js";
import { Loaded, Notice, useAction, useResource } from "../components/resource.js";
import { saveFile } from "../components/save-file.js";
import { isNewGateway, LazyStartCard } from "../start/new-gateway.js";
import { groupedTurns } from "./conversation-tag.js";
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
  withTail,
} from "./filters.js";
import { useTableView, ViewMenu } from "./table-view.js";
import { TraceFilters } from "./trace-filters.js";
import { TracePanel, useListKeys } from "./trace-panel.js";
import { TracesTable } from "./trace-table.js";
import { useTail } from "./use-tail.js";

const RANGES = [...RANGE_NAMES, ALL_TIME];
const OPEN = "open";

/** Finished requests: every filter of the API, the range of time and the order, all of them in the address. */
export function TracesPage() {
  const [query, setQuery] = useSearchParams();
  const asked = new URLSearchParams(query);
  asked.delete(OPEN);
  const traces = useResource(asked.toString(), (signal) => listTraces(apiQuery(query, Date.now()), signal));
  const isLive = query.has("live");
  const arrived = useTail(traces, { isLive, searchesTexts: query.has("q") });
  const values = useResource(traces.value?.total === 0 ? "values" : undefined, traceValues);
  const { view, change } = useTableView();
  const offset = Number(query.get("offset") ?? 0) || 0;
  const go = (next: URLSearchParams): void => setQuery(next);
  const turnTo = (to: number): void =>
    setQuery((last) => {
      last.delete("live");
      if (to <= 0) last.delete("offset");
      else last.set("offset", String(to));
      return last;
    });
  const open = query.get(OPEN);
  const openTrace = (id: string | null): void =>
    setQuery(
      (last) => {
        if (id === null || id === last.get(OPEN)) last.delete(OPEN);
        else last.set(OPEN, id);
        return last;
      },
      { replace: true },
    );
  const shown = traces.value?.traces ?? [];
  const rows = view.isGrouped ? groupedTurns(shown) : shown.map((trace) => ({ trace, turns: 1 }));
  useListKeys({ ids: rows.map(({ trace }) => trace.request_id), open, onOpen: openTrace });
  const size = Number(query.get("limit")) || PAGE_SIZE;
  return (
    <>
      <PageHead title="Traces">
        <Segments
          label="Range"
          values={RANGES}
          value={rangeIn(query) ?? ""}
          onChange={(range) => go(inRange(query, range))}
        />
        <Button look="slim" aria-pressed={isLive} onClick={() => go(withTail(query, !isLive))}>
          {isLive ? "Pause live" : "Live"}
        </Button>
        <ViewMenu
          view={view}
          onChange={change}
          keys={[...new Set(shown.flatMap(({ metadata }) => Object.keys(metadata)))]}
        />
        <ExportMenu query={query} />
      </PageHead>
      <TraceFilters key={apiFilters(query, 0).toString()} query={query} onChange={go} />
      <div class={open === null ? "" : "with-panel"}>
        <Loaded resource={traces}>
          {(list) => (
            <div class="section">
              {list.total === 0 && !isFiltered(query) && isNewGateway(values.value) && <LazyStartCard />}
              <TracesTable
                rows={rows}
                columns={view.columns}
                isFiltered={isFiltered(query)}
                order={orderIn(query)}
                arrived={arrived}
                open={open}
                onOpen={openTrace}
                onSort={(order) => go(inOrder(query, order))}
              />
              <Pager list={list} offset={offset} size={size} onTurn={turnTo} />
            </div>
          )}
        </Loaded>
        {open !== null && <TracePanel id={open} onClose={() => openTrace(null)} />}
      </div>
    </>
  );
}

interface PagerProps {
  readonly list: TraceList;
  readonly offset: number;
  readonly size: number;
  readonly onTurn: (offset: number) => void;
}

/** Which of the traces are shown, and the way to others; without any, the page says so above. */
function Pager({ list, offset, size, onTurn }: PagerProps) {
  const end = offset + list.traces.length;
  return (
    <nav class="row pager" aria-label="Pages of traces">
      <span class="muted small number" role="status">
        {end > offset && `${count(offset + 1)}–${count(end)} of ${count(list.total)}`}
      </span>
      {(offset > 0 || list.has_more) && (
        <>
          <Button look="slim" disabled={offset === 0} onClick={() => onTurn(offset - size)}>
            Previous
          </Button>
          <Button look="slim" disabled={!list.has_more} onClick={() => onTurn(offset + size)}>
            Next
          </Button>
        </>
      )}
    </nav>
  );
}

/** Saves all traces of the address's filters, whatever page and order are shown, oldest first. */
function ExportMenu({ query }: { readonly query: URLSearchParams }) {
  const { run, running, fault } = useAction(async (signal, format: ExportFormat) =>
    saveFile(await exportTraces(format, apiFilters(query, Date.now()), signal), `traces.${format}`),
  );
  const items = EXPORT_FORMATS.map((format) => ({
    label: `All matching, as ${format.toUpperCase()}`,
    onSelect: () => run(format),
  }));
  return (
    <>
      <Menu label="Export" items={items} text={running === undefined ? "Export" : "Exporting…"} />
      {fault !== undefined && <Notice kind="error">{fault}</Notice>}
    </>
  );
}
