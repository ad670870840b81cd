/** The parts of a server that it has in common with others behind the same port, or alone. */
import type { AccessLog } from "../access/access-log.js";
import type { KeyRing } from "../access/keys/key-ring.js";
import type { SupervisorConnection } from "../cluster/supervisor-connection.js";
import { systemTimers } from "../foundation/timers.js";
import type { LengthCorrections } from "../lengths/length-corrections.js";
import { LengthsFile } from "../lengths/lengths-file.js";
import { SavedLengths } from "../lengths/saved-lengths.js";
import type { Metrics } from "../server/operations/metrics.js";
import type { LoadedProfiles, ServerParts } from "../server/parts.js";
import type { Settings } from "../settings/settings.js";
import { openTraces, type TraceSettings } from "../traces/open-traces.js";
import type { RecorderStats } from "../traces/recorder.js";
import type { StoreHealth } from "../traces/store.js";
import type { TraceSink } from "../traces/trace.js";
import type { TraceLog } from "../traces/trace-log.js";

/** Where a server's finished requests go, and where they are searched. */
export interface ServedTraces {
  readonly sink: TraceSink;
  readonly queries: ServerParts["traces"];
  /** Undefined when traces are switched off. */
  stats(): RecorderStats | undefined;
  health(): StoreHealth | Promise<StoreHealth>;
  close(graceMs: number): Promise<void>;
}

/** Its own traces, or those of the supervisor process. @throws as `openTraces` */
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
    stats: () => supervisor.traceStats(),
    health: async () => (await supervisor.health()).traces,
    close: () => supervisor.sink.close(),
  };
}

type LengthSettings = Pick<Settings, "lengthCorrection" | "dataDir">;

/** What answers teach of their lengths, kept in the data folder; undefined when the settings want none of it. */
export async function savedLengths(
  { lengthCorrection, dataDir }: LengthSettings,
  log: AccessLog,
): Promise<LengthCorrections | undefined> {
  if (lengthCorrection === "off") return undefined;
  return SavedLengths.open({ file: new LengthsFile(dataDir), timers: systemTimers, log });
}

/** The server's own, or those of the supervisor process. */
export async function servedLengths(
  settings: LengthSettings,
  { supervisor, log }: { readonly supervisor: SupervisorConnection | undefined; readonly log: AccessLog },
): Promise<LengthCorrections | undefined> {
  if (supervisor === undefined) return savedLengths(settings, log);
  return settings.lengthCorrection === "off" ? undefined : supervisor.lengths;
}

/** Keys whose changes all processes know when they are answered; without others, they are known anyway. */
export function servedKeys(keys: KeyRing, supervisor: SupervisorConnection | undefined): ServerParts["keys"] {
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

/** Figures of all processes together. */
export function servedMetrics(metrics: Metrics, supervisor: SupervisorConnection | undefined): Metrics {
  if (supervisor === undefined) return metrics;
  return { ...metrics, text: async () => metrics.textWith(await supervisor.otherMetrics()) };
}

/** Profiles are loaded here first: what cannot be used then changes nothing in the other processes either. */
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
