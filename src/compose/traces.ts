/** Recording and searching traces, in this process or by the supervisor. */

import { systemTimers } from "../foundation/timers.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { ServerDependencies } from "../gateway/server/dependencies.js";
import type { GiveFeedback } from "../gateway/traces/feedback.js";
import { openTraces, type TraceSettings } from "../gateway/traces/open-traces.js";
import type { RecorderStats } from "../gateway/traces/recorder.js";
import type { StoreHealth } from "../gateway/traces/store.js";
import type { TraceSink } from "../gateway/traces/trace.js";
import type { TraceLog } from "../gateway/traces/trace-log.js";

/** Recording and querying of traces. */
export interface ServedTraces {
  readonly sink: TraceSink;
  readonly queries: ServerDependencies["traces"];
  readonly giveFeedback: GiveFeedback;
  /** Undefined when traces are switched off. */
  stats(): RecorderStats | undefined;
  health(): StoreHealth | Promise<StoreHealth>;
  close(graceMs: number): Promise<void>;
}

/** The traces of this process, or those of the supervisor. @throws as `openTraces` */
export function servedTraces(
  settings: TraceSettings,
  { supervisor, log }: { readonly supervisor: SupervisorConnection | undefined; readonly log: TraceLog },
): ServedTraces {
  if (supervisor === undefined) {
    const traces = openTraces(settings, { timers: systemTimers, now: Date.now, log });
    return { ...traces, queries: traces.store };
  }
  return {
    sink: supervisor.sink,
    queries: supervisor.queries,
    giveFeedback: supervisor.giveFeedback,
    stats: () => supervisor.traceStats(),
    health: async () => (await supervisor.health()).traces,
    close: () => supervisor.sink.close(),
  };
}
