import type { QueryOptions, TraceFilter, TraceStore } from "../traces/store.js";
import type { Trace } from "../traces/trace.js";
import type { Link } from "./link.js";
import type { PrimaryApi, WorkerApi } from "./messages.js";

export type TraceQueries = Pick<TraceStore, "list" | "find" | "stats" | "series" | "export">;

/** Searches of traces, which the primary process runs. */
export function remoteQueries(link: Link<PrimaryApi, WorkerApi>): TraceQueries {
  let exports = 0;
  return {
    list: (filter, page, { scope, signal }) => link.ask("list", { filter, page, scope }, signal),
    find: (requestId, { scope, signal }) => link.ask("find", { requestId, scope }, signal),
    stats: (filter, by, { scope, signal }) => link.ask("stats", { filter, by, scope }, signal),
    series: (filter, steps, { scope, signal }) => link.ask("series", { filter, steps, scope }, signal),
    export: (filter, options) => remoteExport(link, exports++, { filter, ...options }),
  };
}

async function* remoteExport(
  link: Link<PrimaryApi, WorkerApi>,
  id: number,
  { filter, scope, signal }: QueryOptions & { readonly filter: TraceFilter },
): AsyncGenerator<readonly Trace[]> {
  try {
    for (;;) {
      const traces = await link.ask("exportNext", { id, filter, scope }, signal);
      if (traces === null) return;
      yield traces;
    }
  } finally {
    link.tell("exportEnd", id);
  }
}
