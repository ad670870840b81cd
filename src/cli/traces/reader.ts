import { SextantError } from "../../foundation/errors.js";
import type { TraceStatsBody } from "../../gateway/api/traces/stats.js";
import type { KeyNames, TraceBody, TraceListBody } from "../../gateway/api/traces/trace.js";
import {
  parseTraceQuery,
  statsBody,
  statsQuery,
  statsQuestion,
  traceBody,
  traceListBody,
} from "../../gateway/index.js";
import type { TraceStore } from "../../gateway/traces/store.js";
import type { TraceParameters } from "./options.js";

/**
 * The finished requests as commands read them, in the form the HTTP API has for them, whether from a store or from a server.
 *
 * Everything may throw SextantError, as the API would answer, or CommandFailure when no server answers.
 */
export interface TraceReader {
  list(parameters: TraceParameters): Promise<TraceListBody>;
  /** @throws SextantError `trace_not_found` */
  find(requestId: string): Promise<TraceBody>;
  /** `by` is one of the parameters. */
  stats(parameters: TraceParameters): Promise<readonly TraceStatsBody[]>;
  /** All that match, oldest first, in batches. */
  export(parameters: TraceParameters): AsyncIterable<readonly TraceBody[]>;
  close(): Promise<void>;
}

interface StoreReading {
  readonly keyNames: KeyNames;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** The traces of a store that this process has opened. Whoever may read its file may see all of them. */
export function storedTraces(store: TraceStore, { keyNames, signal, now }: StoreReading): TraceReader {
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
      const question = statsQuestion(statsQuery.parse(parameters), now());
      return (await store.ask("stats", question, options)).map(statsBody);
    },
    async *export(parameters) {
      for await (const batch of store.export({ filter: parseTraceQuery(parameters).filter }, options)) {
        yield batch.map((trace) => traceBody(trace, keyNames));
      }
    },
    close: () => store.close(),
  };
}
