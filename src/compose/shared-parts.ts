/** What several processes behind one port share: by the supervisor, in Redis, or in this process. */

import type { LengthCorrections } from "../engine/lengths/length-corrections.js";
import { LengthsFile } from "../engine/lengths/lengths-file.js";
import { SavedLengths } from "../engine/lengths/saved-lengths.js";
import type { Log } from "../foundation/log.js";
import { systemTimers } from "../foundation/timers.js";
import type { KeyRing } from "../gateway/access/keys/key-ring.js";
import type { WorkerCommand } from "../gateway/cluster/cluster-api.js";
import type { SupervisorConnection } from "../gateway/cluster/supervisor-connection.js";
import type { ConversationMemory } from "../gateway/conversations/conversation-memory.js";
import {
  type ConversationSettings,
  type OpenResponsesSettings,
  openConversations,
  openResponses,
} from "../gateway/conversations/open-memories.js";
import type { ResponseMemory } from "../gateway/conversations/response-memory.js";
import type { PauseList } from "../gateway/pauses/pause-list.js";
import type { ServerDependencies } from "../gateway/server/dependencies.js";
import type { Metrics } from "../gateway/server/operations/metrics/metrics.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { GiveFeedback } from "../gateway/traces/feedback.js";
import { openTraces, type TraceSettings } from "../gateway/traces/open-traces.js";
import type { RecorderStats } from "../gateway/traces/recorder.js";
import type { StoreHealth } from "../gateway/traces/store.js";
import type { TraceSink } from "../gateway/traces/trace.js";
import type { TraceLog } from "../gateway/traces/trace-log.js";

export async function servedConversations(
  settings: ConversationSettings,
  supervisor: SupervisorConnection | undefined,
): Promise<ConversationMemory> {
  if (supervisor !== undefined && settings.redisUrl === undefined) return supervisor.conversations;
  return openConversations(settings, { now: Date.now, timers: systemTimers });
}

export async function servedResponses(
  settings: OpenResponsesSettings,
  supervisor: SupervisorConnection | undefined,
): Promise<ResponseMemory> {
  if (supervisor !== undefined && settings.redisUrl === undefined) return supervisor.responses;
  return openResponses(settings, { now: Date.now, timers: systemTimers });
}

type LengthSettings = Pick<Settings, "lengthCorrection" | "dataDir">;

/** Length corrections, saved in the data folder; undefined when the settings switch them off. */
export async function savedLengths(
  { lengthCorrection, dataDir }: LengthSettings,
  log: Log,
): Promise<LengthCorrections | undefined> {
  if (lengthCorrection === "off") return undefined;
  return SavedLengths.open({ file: new LengthsFile(dataDir), timers: systemTimers, log });
}

/** The length corrections of this process, or those of the supervisor. */
export async function servedLengths(
  settings: LengthSettings,
  { supervisor, log }: { readonly supervisor: SupervisorConnection | undefined; readonly log: Log },
): Promise<LengthCorrections | undefined> {
  if (supervisor === undefined) return savedLengths(settings, log);
  return settings.lengthCorrection === "off" ? undefined : supervisor.lengths;
}

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

/** The change, once every other process has carried the command out. */
async function announced<Result>(
  change: Promise<Result>,
  command: WorkerCommand,
  supervisor: SupervisorConnection,
): Promise<Result> {
  const result = await change;
  await supervisor.everywhere(command);
  return result;
}

/** A change of pauses resolves when every process of the machine has it. */
export function servedPauses(
  pauses: PauseList,
  supervisor: SupervisorConnection | undefined,
): ServerDependencies["pauses"] {
  if (supervisor === undefined) return pauses;
  return {
    get any() {
      return pauses.any;
    },
    list: () => pauses.list(),
    ofDeployment: (deployment) => pauses.ofDeployment(deployment),
    admit: (principal) => pauses.admit(principal),
    add: (pause) => announced(pauses.add(pause), "refreshPauses", supervisor),
    end: (id) => announced(pauses.end(id), "refreshPauses", supervisor),
  };
}

/** Changing keys resolves when every process has reloaded the key file. */
export function servedKeys(
  keys: KeyRing,
  supervisor: SupervisorConnection | undefined,
): ServerDependencies["keys"] {
  if (supervisor === undefined) return keys;
  const known = <Result>(change: Promise<Result>) => announced(change, "refreshKeys", supervisor);
  return {
    list: () => keys.list(),
    nameOf: (id) => keys.nameOf(id),
    limitsOf: (id) => keys.limitsOf(id),
    noteRefused: (error, from) => keys.noteRefused(error, from),
    create: (newKey) => known(keys.create(newKey)),
    update: (selector, change) => known(keys.update(selector, change)),
    rotate: (selector, options) => known(keys.rotate(selector, options)),
    revoke: (selector) => known(keys.revoke(selector)),
  };
}

/** Metrics summed over all processes. */
export function servedMetrics(metrics: Metrics, supervisor: SupervisorConnection | undefined): Metrics {
  if (supervisor === undefined) return metrics;
  return {
    ...metrics,
    async text() {
      const own = await metrics.share();
      return metrics.textOf([own, ...(await supervisor.otherMetrics(own))]);
    },
  };
}
