import { SextantError } from "../../foundation/errors.js";
import type { KeyNames } from "../../gateway/api/traces/trace.js";
import { parseTraceQuery, statsBody, statsQuery, traceBody, traceListBody } from "../../gateway/index.js";
import type { TraceStore } from "../../gateway/traces/store.js";
import type { TraceReader } from "./reader.js";

/** The traces of a store that this process has opened. Whoever may read its file may see all of them. */
export function storedTraces(
  store: TraceStore,
  { keyNames, signal }: { readonly keyNames: KeyNames; readonly signal: AbortSignal },
): TraceReader {
  const options = { scope: "all", signal } as const;
  return {
    async list(parameters) {
      const { filter, page } = parseTraceQuery(parameters);
      return traceListBody(await store.ask("list", { filter, page }, options));
    },
    async find(requestId) {
      const trace = await store.ask("find", requestId, options);
      if (trace !== undefined) return traceBody(trace, keyNames);
      throw new SextantError(
        "trace_not_found",
        `There is no trace ${JSON.stringify(requestId.slice(0, 40))}.`,
      );
    },
    async stats(parameters) {
      return (await store.ask("stats", statsQuery.parse(parameters), options)).map(statsBody);
    },
    async *export(parameters) {
      for await (const batch of store.export({ filter: parseTraceQuery(parameters).filter }, options)) {
        yield batch.map((trace) => traceBody(trace, keyNames));
      }
    },
    close: () => store.close(),
  };
}
