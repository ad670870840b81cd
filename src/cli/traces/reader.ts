import type { TraceStatsBody } from "../../gateway/api/traces/stats.js";
import type { TraceBody, TraceListBody } from "../../gateway/api/traces/trace.js";
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
