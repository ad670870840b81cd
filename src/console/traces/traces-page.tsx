import { useSearchParams } from "wouter-preact";
import { listTraces } from "../api/traces.js";
import { Loaded } from "../components/loaded.js";
import { useResource } from "../components/use-resource.js";
import { PageHead } from "../layout/page-head.js";
import { apiQuery, PAGE_SIZE } from "./filters.js";
import { Pager } from "./pager.js";
import { TraceFilters } from "./trace-filters.js";
import { TraceTable } from "./trace-table.js";

/** Finished requests: every filter of the API, all of them in the address. */
export function TracesPage() {
  const [query, setQuery] = useSearchParams();
  const asked = apiQuery(query);
  const traces = useResource(asked.toString(), (signal) => listTraces(asked, signal));
  const offset = Number(query.get("offset") ?? 0) || 0;
  const turnTo = (to: number): void =>
    setQuery((last) => {
      if (to <= 0) last.delete("offset");
      else last.set("offset", String(to));
      return last;
    });
  return (
    <>
      <PageHead title="Traces" lead="All accepted requests, newest first.">
        <button class="button" type="button" onClick={traces.reload}>
          Refresh
        </button>
      </PageHead>
      <TraceFilters key={query.toString()} query={query} onChange={(next) => setQuery(next)} />
      <Loaded resource={traces}>
        {(list) => (
          <>
            <TraceTable traces={list.traces} isFiltered={[...query.keys()].length > 0} />
            <Pager
              list={list}
              offset={offset}
              size={Number(query.get("limit")) || PAGE_SIZE}
              onTurn={turnTo}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
