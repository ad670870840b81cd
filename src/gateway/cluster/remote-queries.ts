import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { QueryOptions, TraceStore } from "../traces/store.js";
import type { Trace } from "../traces/trace.js";
import type { ExportRequest, SupervisorApi, WorkerApi } from "./cluster-api.js";

export type TraceQueries = Pick<
  TraceStore,
  "list" | "find" | "stats" | "series" | "failures" | "lastFailures" | "values" | "export" | "sample"
>;

/** Searches of traces, which the supervisor process runs. */
export function remoteQueries(channel: RpcChannel<SupervisorApi, WorkerApi>): TraceQueries {
  let exports = 0;
  return {
    list: (filter, page, { scope, signal }) => channel.call("list", { filter, page, scope }, signal),
    find: (requestId, { scope, signal }) => channel.call("find", { requestId, scope }, signal),
    stats: (filter, by, { scope, signal }) => channel.call("stats", { filter, by, scope }, signal),
    series: (filter, steps, { scope, signal }) => channel.call("series", { filter, steps, scope }, signal),
    failures: (filter, { scope, signal }) => channel.call("failures", { filter, scope }, signal),
    lastFailures: (question, { scope, signal }) =>
      channel.call("lastFailures", { ...question, scope }, signal),
    values: ({ scope, signal }) => channel.call("values", { scope }, signal),
    export: (filter, options) => remoteExport(channel, exports++, { filter, ...options }),
    sample: (filter, most, options) => remoteExport(channel, exports++, { filter, most, ...options }),
  };
}

async function* remoteExport(
  channel: RpcChannel<SupervisorApi, WorkerApi>,
  id: number,
  { signal, ...question }: QueryOptions & Pick<ExportRequest, "filter" | "most">,
): AsyncGenerator<readonly Trace[]> {
  try {
    for (;;) {
      const traces = await channel.call("exportNext", { id, ...question }, signal);
      if (traces === null) return;
      yield traces;
    }
  } finally {
    channel.notify("exportEnd", id);
  }
}
