/** Builds every component of a server from the settings and connects them; the only file that knows the order of start and stop. */
import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import { anonymousAuthenticator, createAuthenticator } from "../access/authenticator.js";
import { ConsoleSessions } from "../access/console/console-sessions.js";
import { SessionFile } from "../access/console/session-file.js";
import type { CreatedKey, KeyRing } from "../access/keys/key-ring.js";
import { CountingLimiter } from "../access/limits/limiter.js";
import { openLimiter } from "../access/limits/open-limiter.js";
import { SCOPES } from "../access/principal.js";
import { openTokens } from "../access/tokens/open-tokens.js";
import { createCatalog } from "../catalog/catalog.js";
import { LOCAL_EMBEDDER } from "../catalog/deployments/local-embedder.js";
import { type ProviderEntry, resolveProviders } from "../catalog/deployments/provider-entries.js";
import { unpricedNotes } from "../catalog/deployments/unpriced.js";
import type { SupervisorConnection } from "../cluster/supervisor-connection.js";
import { SextantError } from "../foundation/errors.js";
import { packageVersion } from "../foundation/package.js";
import { RepeatedWarning } from "../foundation/repeated-warning.js";
import { systemTimers } from "../foundation/timers.js";
import { startSummary } from "../inference/configured-summary.js";
import { createInference } from "../inference/create-inference.js";
import { WorkerCounter } from "../inference/token-counting/worker-counter.js";
import { ProfileSetError } from "../profiles/load.js";
import { loadUpstreams } from "../providers/http/upstream.js";
import { openProvider } from "../providers/open-provider.js";
import type { Provider } from "../providers/provider.js";
import type { Router } from "../router/router.js";
import { createApp } from "../server/app.js";
import { closeWithin } from "../server/http/shutdown.js";
import { startTimer } from "../server/http/timer.js";
import { createMetrics, type Metrics } from "../server/operations/metrics.js";
import { CONSOLE_PAGE, type Settings } from "../settings/settings.js";
import type { TraceSink } from "../traces/trace.js";
import { defaultLimitsOf, openKeyRing, tidyDataFolder } from "./keys.js";
import type { OpenRouter } from "./open-router.js";
import {
  reloadEverywhere,
  servedKeys,
  servedLengths,
  servedMetrics,
  servedTraces,
} from "./shared-services.js";

/** How often a server looks whether another process revoked a key. */
const KEY_REFRESH_MS = 500;
const LAST_USED_SAVE_MS = 60_000;

export interface ComposedServer {
  /** The key made because there was none: show it, it cannot be shown again. */
  readonly firstKey: CreatedKey | undefined;
  /** What is configured, what can be decided among, and what would add more: lines for a person. */
  readonly summary: string;
  readonly notes: readonly string[];
  /** Listens. @returns the address, `http://127.0.0.1:8080` @throws what the system says, such as EADDRINUSE */
  start(): Promise<string>;
  /** Does now, some 300 ms, what the first requests would otherwise wait for. */
  warmUp(): void;
  /** Stops accepting, lets requests in flight finish within the grace, saves, closes. */
  stop(): Promise<void>;
}

export interface ServerSources {
  readonly logger: Logger;
  readonly openRouter: OpenRouter;
  /** Where the keys of providers come from, `.env` read into it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The processes that this server is one of; undefined when it is alone. */
  readonly supervisor?: SupervisorConnection | undefined;
}

/** Everything `sextant serve` runs, not yet listening. */
export async function composeServer(settings: Settings, sources: ServerSources): Promise<ComposedServer> {
  const { logger, supervisor } = sources;
  const entries = resolveProviders(settings, sources.environment);
  const catalog = createCatalog(settings, { at: new Date(), providers: entries, now: Date.now });
  const lengths = await servedLengths(settings, { supervisor, log: logger });
  const opened = await sources.openRouter(settings, {
    catalog,
    lengthRatioOf: lengths && ((model) => lengths.ratioOf(model)),
  });
  const { router } = opened;
  await lengths?.useProfiles(router.profileVersion);
  const lengthCorrections = () => lengths?.corrections() ?? new Map();
  const access = await openAccess(settings, sources);
  const providers = openProviders(entries, settings);
  const metrics = createMetrics({
    isKnownModel: (model) => model === LOCAL_EMBEDDER || catalog.deployments(model).length > 0,
  });
  metrics.watchProcess();
  const traces = servedTraces(settings, { supervisor, log: logger });
  metrics.watchTraces(() => traces.stats());
  metrics.watchLengths(lengthCorrections);
  const counter = new WorkerCounter({ timers: systemTimers });
  const inference = createInference({
    router,
    catalog,
    embedder: opened.embedder,
    providers,
    limiter: access.limiter,
    traces: countedAndKept(metrics, traces.sink),
    lengths,
    counter,
    clock,
    random: Math.random,
    timers: systemTimers,
    settings,
    logger,
  });
  const reloadProfiles = async () => {
    const loaded = await opened.reloadProfiles().catch(rejectProfiles);
    await lengths?.useProfiles(loaded.version);
    return loaded;
  };
  supervisor?.attend({
    command: async (command) => {
      await (command === "refreshKeys" ? access.keys.refresh() : reloadProfiles());
    },
    metrics: () => metrics.share(),
  });
  const app = createApp({
    inference,
    router,
    lengthCorrections,
    catalog,
    traces: traces.queries,
    giveFeedback: traces.giveFeedback,
    authenticator: access.authenticator,
    console: settings.console
      ? { pageFolder: CONSOLE_PAGE, sessions: access.sessions, signInTries: settings.consoleSignInTries }
      : null,
    keys: servedKeys(access.keys, supervisor),
    reloadProfiles: reloadEverywhere(reloadProfiles, supervisor),
    limits: settings,
    metrics: servedMetrics(metrics, supervisor),
    logger,
    now: Date.now,
    clock,
    startTimer,
    randomBytes,
    readiness: async () => ({
      ...routerState(router, opened.embedder.id),
      limits: { ...access.limiter.health() },
      traces: { ...(await traces.health()), optional: true },
    }),
    version: packageVersion(),
  });
  return {
    firstKey: access.firstKey,
    summary: startSummary(router, catalog),
    notes: [...opened.notes, ...unpricedNotes(settings, catalog)],
    start: () => app.listen({ host: settings.host, port: settings.port }),
    warmUp() {
      router.calibrate();
      // A request that is faster loads it itself, and gets the error if there is one.
      if (providers.size > 0) loadUpstreams().catch(() => {});
    },
    async stop() {
      await closeWithin(app, settings.shutdownGraceMs);
      await Promise.all([...providers.values()].map((provider) => provider.close()));
      // What clients left behind is counted before its traces are written; what is not counted by then is recorded without.
      await within(settings.shutdownGraceMs, inference.settled());
      await counter.close(0);
      await within(settings.shutdownGraceMs, inference.settled());
      await Promise.all([traces.close(settings.shutdownGraceMs), access.close(), lengths?.close()]);
      await router.close();
    },
  };
}

const clock = (): number => performance.now();

/** One adapter for each provider that is switched on. Nothing connects before the first request. */
function openProviders(entries: readonly ProviderEntry[], settings: Settings): ReadonlyMap<string, Provider> {
  const limits = {
    connectTimeoutMs: settings.upstreamConnectTimeoutMs,
    maxConnections: settings.upstreamMaxConnections,
    maxReplyBytes: settings.upstreamMaxReplyBytes,
    maxStreamBytes: settings.upstreamMaxStreamBytes,
    maxEmbeddingsBytes: settings.upstreamMaxEmbeddingsBytes,
  };
  const enabled = entries.filter((entry) => entry.enabled);
  return new Map(
    enabled.map(({ id, type, baseUrl, apiKey, like, apiVersion }) => [
      id,
      openProvider({ id, type, baseUrl, apiKey, like, apiVersion, limits }),
    ]),
  );
}

/** Finished requests are counted and kept. */
const countedAndKept = (metrics: Metrics, sink: TraceSink): TraceSink => ({
  wantsContent: sink.wantsContent,
  record(trace) {
    metrics.record(trace);
    sink.record(trace);
  },
});

/** Who may ask, and how much: keys, tokens, limits and budgets. */
async function openAccess(settings: Settings, { logger, supervisor }: ServerSources) {
  const keys = await openKeyRing(settings);
  const limits = defaultLimitsOf(settings);
  const log = logger;
  const tokens = await openTokens(settings, { limits, now: Date.now, monotonicNow: clock, fetch, log });
  const isShared = supervisor !== undefined && settings.redisUrl === undefined;
  const limiter = isShared
    ? new CountingLimiter(supervisor.counters, { now: Date.now })
    : await openLimiter(settings, { now: Date.now, log });
  const needsKeys = settings.auth === "on";
  // Of several processes, the supervisor has made it.
  const makesFirstKey = needsKeys && supervisor === undefined;
  if (supervisor === undefined) void tidyDataFolder(settings, { log });
  const firstKey = makesFirstKey ? await keys.createFirst({ name: "first key", scopes: SCOPES }) : undefined;
  const timers = followKeys(keys, logger);
  const sessions = needsKeys && settings.console ? consoleSessions(settings, keys) : null;
  return {
    keys,
    limiter,
    sessions,
    firstKey,
    authenticator: needsKeys
      ? createAuthenticator({ keys, tokens, sessions: sessions ?? undefined })
      : anonymousAuthenticator(limits),
    async close() {
      for (const timer of timers) clearInterval(timer);
      await limiter.close();
      await keys
        .saveLastUsed()
        .catch((fault) => logger.warn({ fault: String(fault) }, "last_used_at not saved"));
    },
  };
}

function consoleSessions(settings: Settings, keys: KeyRing): ConsoleSessions {
  const { dataDir, consoleIdleMs: idleMs, consoleSessionMs: longestMs } = settings;
  const file = new SessionFile(dataDir, randomBytes);
  return new ConsoleSessions({ file, keys, idleMs, longestMs, now: Date.now, randomBytes });
}

function routerState(router: Router, embedderId: string) {
  const count = router.profiles().length;
  return {
    embedder: { ok: true, id: embedderId },
    profiles: { ok: count > 0, version: router.profileVersion, count },
  };
}

function rejectProfiles(fault: unknown): never {
  if (!(fault instanceof ProfileSetError)) throw fault;
  throw new SextantError("profiles_rejected", `${fault.message} The profiles in use stay.`, { cause: fault });
}

function followKeys(keys: KeyRing, logger: Logger): readonly NodeJS.Timeout[] {
  const refresh = reportingFaults(() => keys.refresh(), { message: "key file not followed", logger });
  const save = reportingFaults(() => keys.saveLastUsed(), { message: "last_used_at not saved", logger });
  return [
    setInterval(() => void refresh(), KEY_REFRESH_MS).unref(),
    setInterval(() => void save(), LAST_USED_SAVE_MS).unref(),
  ];
}

/** The task, which never rejects: faults that it goes on having are logged once a minute. */
function reportingFaults(
  task: () => Promise<unknown>,
  { message, logger }: { readonly message: string; readonly logger: Logger },
): () => Promise<void> {
  const warning = new RepeatedWarning(message, {
    warn: (details, text) => logger.warn(details, text),
    clock,
  });
  return () =>
    task().then(
      () => warning.succeeded(),
      (fault) => warning.failed(fault),
    );
}

/** Resolves when the promise does, or after that time. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, timeUp]);
  clearTimeout(timer);
}
