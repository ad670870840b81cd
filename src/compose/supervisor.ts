/** The supervisor of several processes behind one port: it keeps traces, limits and lengths, and answers no request. */
import type { Logger } from "pino";
import { type Cancel, systemTimers, waitingTimers } from "../foundation/timers.js";
import { openCounters } from "../gateway/access/limits/open-limiter.js";
import { SCOPES } from "../gateway/access/principal.js";
import { SERVER } from "../gateway/audit/event.js";
import { profilesAct, settingsActs } from "../gateway/audit/reload-acts.js";
import type { WorkerReady } from "../gateway/cluster/cluster-api.js";
import { type ForkWorker, WorkerProcesses } from "../gateway/cluster/worker-processes.js";
import { openWorkerService } from "../gateway/cluster/worker-service.js";
import { openConversations, openResponses } from "../gateway/conversations/open-memories.js";
import { createMetrics, endedShare } from "../gateway/server/operations/metrics/metrics.js";
import { reading } from "../gateway/server/operations/metrics/readings.js";
import type { Settings } from "../gateway/settings/settings.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import { openTraces } from "../gateway/traces/open-traces.js";
import type { ComposedServer } from "./compose.js";
import { openKeyRing, tidyDataFolder } from "./keys.js";
import { watchLimits, watchProcess } from "./metrics.js";
import { openEventLog } from "./operators.js";
import { refused, reloadOnChange, watchedFiles } from "./reloads.js";
import { savedLengths } from "./shared-parts.js";

/** What a worker needs beside draining its requests and counting their tokens, each of which has the grace of the settings. */
const WORKER_END_MS = 4000;

export interface SupervisorSources {
  readonly logger: Logger;
  readonly fork: ForkWorker;
  readonly source: SettingsSource;
}

/** The supervisor process. Providers and notes are known once it has started. @throws as `openKeyRing` and `openCounters` */
export async function composeSupervisor(
  settings: Settings,
  { logger, fork, source }: SupervisorSources,
): Promise<ComposedServer> {
  const keys = await openKeyRing(settings);
  const log = logger;
  void tidyDataFolder(settings, { log });
  const counters =
    settings.redisUrl === undefined ? await openCounters(settings, { now: Date.now, log }) : undefined;
  const lengths = await savedLengths(settings, log);
  // Workers ask Redis themselves.
  const conversations = await openConversations(
    { ...settings, redisUrl: undefined },
    {
      now: Date.now,
      timers: systemTimers,
    },
  );
  const responses = await openResponses(
    { ...settings, redisUrl: undefined },
    { now: Date.now, timers: systemTimers },
  );
  const traces = openTraces(settings, { timers: systemTimers, now: Date.now, log });
  const metrics = createMetrics({ isKnownModel: () => false });
  watchProcess(metrics, () => traces.stats());
  if (counters !== undefined) {
    watchLimits(metrics, { keys, usedBy: (principal) => counters.used(principal) }, settings);
  }
  const workers = new WorkerProcesses({
    count: settings.workers,
    fork,
    openWorkerService: () => openWorkerService({ ...traces, counters, lengths, conversations, responses }),
    // What a worker has taken over is no change any more.
    onCommand: (command) => {
      if (command === "reload") source.accept(source.read());
    },
    metrics: () => metrics.share(),
    endedShare,
    timers: waitingTimers,
    clock: () => performance.now(),
    log,
  });
  metrics.watch("workers", () => reading(workers.running));
  metrics.watch("workerRestarts", () => reading(workers.restarted));
  const events = await openEventLog(settings, { log });
  let isRefused = false;
  const reload = async (): Promise<void> => {
    const recovered = isRefused;
    try {
      const next = source.read();
      await workers.command("reload");
      isRefused = false;
      source.accept(next);
      const acts = settingsActs({ path: source.path, changed: next.changed, recovered });
      for (const act of [...acts, profilesAct("", null)]) await events.record({ ...act, actor: SERVER });
    } catch (fault) {
      isRefused = true;
      await refused(fault, { log, events, version: "", path: source.path });
    }
  };
  let stopWatching: Cancel | undefined;
  let ready: WorkerReady | undefined;
  return {
    async makeFirstKey() {
      if (settings.auth !== "on") return undefined;
      const made = await keys.createFirst({ name: "first key", scopes: SCOPES });
      if (made !== undefined) await workers.command("refreshKeys");
      return made;
    },
    get summary() {
      return ready?.summary ?? "";
    },
    get example() {
      return ready?.example ?? null;
    },
    get notes() {
      return ready?.notes ?? [];
    },
    async start() {
      const changes = await watchedFiles(settings, source);
      ready = await workers.start();
      stopWatching = reloadOnChange(changes, settings, {
        profiles: reload,
        settings: async () => {
          if (isRefused || source.differs()) await reload();
        },
      });
      return ready.address;
    },
    // Each worker does once it is ready.
    warmUp: async () => null,
    reload,
    async stop() {
      stopWatching?.();
      await workers.stop(2 * settings.shutdownGraceMs + WORKER_END_MS);
      await Promise.all([
        traces.close(settings.shutdownGraceMs),
        counters?.close(),
        lengths?.close(),
        responses.close(),
        events.close(),
      ]);
    },
  };
}
