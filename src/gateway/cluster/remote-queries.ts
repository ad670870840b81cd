import type { RpcChannel } from "../../foundation/workers/rpc-channel.js";
import type { AnswerTo, ArgumentOf, QueryOptions, QuestionName, TraceQueries } from "../traces/store.js";
import type { Trace } from "../traces/trace.js";
import type { ExportRequest, SupervisorApi, WorkerApi } from "./cluster-api.js";

/** Searches of traces, which the supervisor process runs. */
export function remoteQueries(channel: RpcChannel<SupervisorApi, WorkerApi>): TraceQueries {
  let exports = 0;
  return {
    ask: <Name extends QuestionName>(
      name: Name,
      argument: ArgumentOf<Name>,
      { scope, signal }: QueryOptions,
    ) => channel.call("ask", { name, argument, scope }, signal) as Promise<AnswerTo<Name>>,
    export: (selection, { scope, signal }) =>
      remoteExport(channel, { id: exports++, ...selection, scope }, signal),
  };
}

async function* remoteExport(
  channel: RpcChannel<SupervisorApi, WorkerApi>,
  request: ExportRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly Trace[]> {
  try {
    for (;;) {
      const traces = await channel.call("exportNext", request, signal);
      if (traces === null) return;
      yield traces;
    }
  } finally {
    channel.notify("exportEnd", request.id);
  }
}
