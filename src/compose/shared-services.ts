/** Services that a single process has to itself, and the workers behind one port get from their supervisor. */
import type { AccessLog } from "../access/access-log.js";
import type { KeyRing } from "../access/keys/key-ring.js";
import type { SupervisorConnection } from "../cluster/supervisor-connection.js";
import { systemTimers } from "../foundation/timers.js";
import type { LengthCorrections } from "../lengths/length-corrections.js";
import { LengthsFile } from "../lengths/lengths-file.js";
import { SavedLengths } from "../lengths/saved-lengths.js";
import type { LoadedProfiles, ServerDependencies } from "../server/dependencies.js";
import type { Metrics } from "../server/operations/metrics.js";
import type { Settings } from "../settings/settings.js";
import type { GiveFeedback } from "../traces/feedback.js";
import { openTraces, type TraceSettings } from "../traces/open-traces.js";
import type { RecorderStats } from "../traces/recorder.js";
import type { StoreHealth } from "../traces/store.js";
import type { TraceSink } from "../traces/trace.js";
import type { TraceLog } from "../traces/trace-log.js";

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

type LengthSettings = Pick<Settings, "lengthCorrection" | "dataDir">;

/** Length corrections, saved in the data folder; undefined when the settings switch them off. */
export async function savedLengths(
  { lengthCorrection, dataDir }: LengthSettings,
  log: AccessLog,
): Promise<LengthCorrections | undefined> {
  if (lengthCorrection === "off") return undefined;
  return SavedLengths.open({ file: new LengthsFile(dataDir), timers: systemTimers, log });
}

/** The length corrections of this process, or those of the supervisor. */
export async function servedLengths(
  settings: LengthSettings,
  { supervisor, log }: { readonly supervisor: SupervisorConnection | undefined; readonly log: AccessLog },
): Promise<LengthCorrections | undefined> {
  if (supervisor === undefined) return savedLengths(settings, log);
  return settings.lengthCorrection === "off" ? undefined : supervisor.lengths;
}

/** Creating or revoking a key resolves when every process has reloaded the key file. */
export function servedKeys(
  keys: KeyRing,
  supervisor: SupervisorConnection | undefined,
): ServerDependencies["keys"] {
  if (supervisor === undefined) return keys;
  return {
    list: () => keys.list(),
    async create(newKey) {
      const created = await keys.create(newKey);
      await supervisor.everywhere("refreshKeys");
      return created;
    },
    async revoke(selector) {
      const revoked = await keys.revoke(selector);
      await supervisor.everywhere("refreshKeys");
      return revoked;
    },
  };
}

/** Metrics summed over all processes. */
export function servedMetrics(metrics: Metrics, supervisor: SupervisorConnection | undefined): Metrics {
  if (supervisor === undefined) return metrics;
  return { ...metrics, text: async () => metrics.textWith(await supervisor.otherMetrics()) };
}

/** Loads profiles in this process first, so that a set that is rejected changes no other process. */
export function reloadEverywhere(
  reload: () => Promise<LoadedProfiles>,
  supervisor: SupervisorConnection | undefined,
): () => Promise<LoadedProfiles> {
  if (supervisor === undefined) return reload;
  return async () => {
    const loaded = await reload();
    await supervisor.everywhere("reloadProfiles");
    return loaded;
  };
}
