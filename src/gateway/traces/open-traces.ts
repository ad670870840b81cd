import { join } from "node:path";
import { ExplainedError, SextantError } from "../../foundation/errors.js";
import { fileFaultMessage } from "../../foundation/file-fault.js";
import { systemClock, type Timers } from "../../foundation/timers.js";
import type { Settings } from "../settings.js";
import { openClickHouseStore } from "./clickhouse/clickhouse-store.js";
import { type DuckDbStoreOptions, openDuckDbStore } from "./duckdb/duckdb-store.js";
import { feedbackGiver, type GiveFeedback } from "./feedback.js";
import { noFeedback, noSink, noStore } from "./no-store.js";
import { Recorder, type RecorderStats } from "./recorder.js";
import { openWorkerRedactor } from "./redaction/worker-redactor.js";
import { keepRetention } from "./retention.js";
import { SpillFolder } from "./spill/spill-folder.js";
import type { StoreHealth, TraceStore } from "./store.js";
import type { TraceSink } from "./trace.js";
import type { TraceLog } from "./trace-log.js";

type StoreSettings = Pick<
  Settings,
  | "chEnabled"
  | "clickhouseUrl"
  | "dataDir"
  | "traceMemoryBytes"
  | "traceQueryTimeoutMs"
  | "traceRetentionDays"
  | "traceStore"
>;

export type TraceSettings = StoreSettings &
  Pick<Settings, "traceBufferBytes" | "traceContent" | "traceFlushMs" | "traceRedact" | "traceSpillMaxBytes">;

/** Told what an operator should know of a file of traces. */
type StoreReports = Pick<DuckDbStoreOptions, "onLoss" | "onUnusable">;

/** Where the store `duckdb` keeps traces. */
export const traceFile = ({ dataDir }: Pick<Settings, "dataDir">): string => join(dataDir, "traces.duckdb");

/**
 * The store that the settings name: the file `traces.duckdb` in the data folder, a ClickHouse server, or none.
 *
 * Returns at once; a store that cannot be used says so when it is asked.
 */
export function openTraceStore(settings: StoreSettings, reports: StoreReports = {}): TraceStore {
  if (!settings.chEnabled) return noStore;
  if (settings.traceStore === "clickhouse") {
    if (settings.clickhouseUrl === undefined) {
      throw new SextantError(
        "store_down",
        "The store clickhouse has no address. Set SEXTANT_CLICKHOUSE_URL.",
      );
    }
    return openClickHouseStore(settings.clickhouseUrl, {
      queryTimeoutMs: settings.traceQueryTimeoutMs,
      memoryBytes: settings.traceMemoryBytes,
    });
  }
  return openDuckDbStore(traceFile(settings), {
    queryTimeoutMs: settings.traceQueryTimeoutMs,
    memoryBytes: settings.traceMemoryBytes,
    ...reports,
  });
}

export const LOSS_MESSAGE =
  "traces that had been stored are missing: the file of traces or its write-ahead log was damaged or replaced. Restore " +
  "them from a backup; a damaged log is kept as `damagedLog`";

export interface TraceSources {
  readonly timers: Timers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: TraceLog;
}

/** The traces of a server: where they are recorded and where they are searched. */
export interface Traces {
  readonly sink: TraceSink;
  readonly store: TraceStore;
  readonly giveFeedback: GiveFeedback;
  /** Resolves when what was recorded before can be searched, or cannot be stored for the time being. */
  flush(): Promise<void>;
  /** Undefined when traces are switched off. */
  stats(): RecorderStats | undefined;
  /** For `GET /readyz`: not ok while the store cannot be used or traces are being lost. */
  health(): StoreHealth;
  /** Writes what waits within that time, then closes the store. */
  close(graceMs: number): Promise<void>;
}

/** Traces that wait in memory at most: 30 MB beside their texts, which `trace_buffer_bytes` bounds. */
const BUFFER_TRACES = 20_000;

/** Opens the store of the settings and what writes to it. @throws ExplainedError when the spill folder cannot be read */
export function openTraces(settings: TraceSettings, { timers, now, log }: TraceSources): Traces {
  if (!settings.chEnabled) return NO_TRACES;
  const spill = openSpill(settings, now());
  const store = openTraceStore(settings, {
    onLoss: (loss) => log.error({ ...loss }, LOSS_MESSAGE),
    // Said at once, and not only when there is a trace to keep: a second server on one data folder is a mistake.
    onUnusable: (reason) => log.error({ reason }, "traces cannot be kept"),
  });
  const redactor = settings.traceRedact.length > 0 ? openWorkerRedactor(settings.traceRedact) : undefined;
  const recorder = new Recorder({
    store,
    spill,
    content: settings.traceContent ? "stored" : "left out",
    flushMs: settings.traceFlushMs,
    bufferTraces: BUFFER_TRACES,
    bufferBytes: settings.traceBufferBytes,
    timers,
    clock: systemClock,
    log,
    ...(redactor !== undefined && { redactor }),
  });
  const days = settings.traceRetentionDays;
  const endRetention = days === undefined ? () => {} : keepRetention(days, { store, timers, now, log });
  return {
    sink: recorder,
    store,
    giveFeedback: feedbackGiver({ store, recorder, redactor, timers, now }),
    flush: () => recorder.flush(),
    stats: () => recorder.stats(),
    health: () => recorder.health(),
    async close(graceMs) {
      endRetention();
      await recorder.close(graceMs);
      await Promise.all([store.close(), redactor?.close()]);
    },
  };
}

/** @throws ExplainedError when the folder cannot be read */
function openSpill(
  { dataDir, traceSpillMaxBytes: maxBytes }: Pick<Settings, "dataDir" | "traceSpillMaxBytes">,
  startedAtMs: number,
): SpillFolder {
  const folder = join(dataDir, "spill");
  try {
    return new SpillFolder(folder, { maxBytes, startedAtMs });
  } catch (cause) {
    throw new ExplainedError(fileFaultMessage(`${folder} cannot be read`, cause), { cause });
  }
}

const NO_TRACES: Traces = {
  sink: noSink,
  store: noStore,
  giveFeedback: noFeedback,
  flush: async () => {},
  stats: () => undefined,
  health: () => noStore.health(),
  close: async () => {},
};
