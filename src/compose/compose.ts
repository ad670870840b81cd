/** Builds every component from the settings and connects them; the only file that knows the order of start and stop. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { anonymousAuthenticator, createAuthenticator } from "../access/authenticator.js";
import { ConsoleSessions } from "../access/console/console-sessions.js";
import { SessionFile } from "../access/console/session-file.js";
import type { CreatedKey, KeyRing } from "../access/keys/key-ring.js";
import { CountingLimiter } from "../access/limits/limiter.js";
import { openLimiter } from "../access/limits/open-limiter.js";
import { SCOPES } from "../access/principal.js";
import { openTokens } from "../access/tokens/open-tokens.js";
import { type Catalog, createCatalog } from "../catalog/catalog.js";
import { type ProviderEntry, resolveProviders } from "../catalog/provider-entries.js";
import type { SupervisorConnection } from "../cluster/supervisor-connection.js";
import type { Embedder } from "../embedding/embedder.js";
import { openEmbedder } from "../embedding/open-embedder.js";
import { allInOrder } from "../foundation/all-in-order.js";
import { SextantError } from "../foundation/errors.js";
import { packageVersion } from "../foundation/package.js";
import { systemTimers } from "../foundation/timers.js";
import { startSummary } from "../inference/configured-summary.js";
import { createInference } from "../inference/create-inference.js";
import { WorkerCounter } from "../inference/token-counting/worker-counter.js";
import { loadProfileSets, ProfileSetError } from "../profiles/load.js";
import { loadUpstreams } from "../providers/http/upstream.js";
import { openProvider } from "../providers/open-provider.js";
import type { Provider } from "../providers/provider.js";
import type { ModelAvailability, ModelLookup } from "../router/candidate.js";
import { createRouter, type Router } from "../router/router.js";
import type { LengthRatioOf } from "../router/snapshot.js";
import { createApp } from "../server/app.js";
import type { LoadedProfiles } from "../server/dependencies.js";
import { startTimer } from "../server/http/timer.js";
import { createMetrics, type Metrics } from "../server/operations/metrics.js";
import { CONSOLE_PAGE, type Settings, SHIPPED_EMBEDDER } from "../settings/settings.js";
import type { TraceSink } from "../traces/trace.js";
import { defaultLimitsOf, openKeyRing } from "./keys.js";
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

type RouterSettings = Pick<
  Settings,
  "embedder" | "profiles" | "providers" | "deployments" | "prices" | "dataDir"
>;

interface OpenedRouter {
  readonly router: Router;
  readonly embedderId: string;
  /** Sentences for a log, such as which index serves a profile set. */
  readonly notes: readonly string[];
  /** Reads the profile sets again and swaps them in whole. @throws ProfileSetError; those in use then stay */
  reloadProfiles(): Promise<LoadedProfiles>;
}

type RouterCatalog = Pick<Catalog, "lookup" | "isServed" | keyof ModelAvailability>;

interface OpenRouterOptions {
  /** What is known of models. Default: a catalog of these settings, with the prices of now. */
  readonly catalog?: RouterCatalog;
  /** Factor by which a model's answers are longer than profiled. Default: 1 for every model. */
  readonly lengthRatioOf?: LengthRatioOf | undefined;
}

export type OpenRouter = (settings: RouterSettings, options?: OpenRouterOptions) => Promise<OpenedRouter>;

/**
 * Loads the embedder and the profile sets and makes a router of them.
 *
 * @throws ProfileSetError and the errors of `openEmbedder`, which name the file and the remedy
 */
export const openRouterFromSettings: OpenRouter = async (settings, options = {}) => {
  const catalog = options.catalog ?? createCatalog(settings, { at: new Date(), now: Date.now });
  const { lookup } = catalog;
  const embedder = await openEmbedder(settings.embedder ?? SHIPPED_EMBEDDER, {
    cacheDir: join(settings.dataDir, "models"),
  });
  try {
    const { sets, notes } = await loadSets(settings, { embedder, catalog });
    const router = createRouter({
      embedder,
      sets,
      lookup,
      availability: catalog,
      lengthRatioOf: options.lengthRatioOf,
      clock,
    });
    return {
      router,
      embedderId: embedder.id,
      notes,
      async reloadProfiles() {
        const loaded = await loadSets(settings, { embedder, catalog });
        router.replaceSets(loaded.sets);
        return {
          version: router.profileVersion,
          count: router.profiles().length,
          notes: loaded.notes,
        };
      },
    };
  } catch (error) {
    await embedder.close();
    throw error;
  }
};

/** Models that only lend their profile to an entry of `deployments`, whether or not anybody serves them. */
function profilesOfDeployments(
  { deployments }: Pick<Settings, "deployments">,
  lookup: ModelLookup,
): Set<string> {
  const found = new Set<string>();
  for (const { name, profile } of deployments) {
    for (let next = profile ?? lookup(name).profile; next !== undefined && !found.has(next); ) {
      found.add(next);
      next = lookup(next).profile;
    }
  }
  return found;
}

async function loadSets(
  settings: Pick<Settings, "profiles" | "deployments">,
  { embedder, catalog }: { readonly embedder: Embedder; readonly catalog: RouterCatalog },
) {
  const { profiles } = settings;
  const { lookup } = catalog;
  const standIns = profilesOfDeployments(settings, lookup);
  const options = {
    embedder,
    hasPrice: (model: string) => lookup(model).price !== null,
    includes: (model: string, { candidates }: { readonly candidates: "all" | "served" }) =>
      standIns.has(model) ||
      (candidates === "served" ? catalog.isServed(model) : catalog.unavailability(model) === null),
  };
  const loaded = (await allInOrder(profiles.map((folder) => loadProfileSets(folder, options)))).flat();
  return { sets: loaded.map(({ set }) => set), notes: loaded.flatMap(({ notes }) => notes) };
}

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
  const metrics = createMetrics({ isKnownModel: (model) => catalog.deployments(model).length > 0 });
  metrics.watchProcess();
  const traces = servedTraces(settings, { supervisor, log: logger });
  metrics.watchTraces(() => traces.stats());
  metrics.watchLengths(lengthCorrections);
  const counter = new WorkerCounter({ timers: systemTimers });
  const inference = createInference({
    router,
    catalog,
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
      ...routerState(router, opened.embedderId),
      limits: { ...access.limiter.health() },
      traces: { ...(await traces.health()), optional: true },
    }),
    version: packageVersion(),
  });
  return {
    firstKey: access.firstKey,
    summary: startSummary(router, catalog),
    notes: opened.notes,
    start: () => app.listen({ host: settings.host, port: settings.port }),
    warmUp() {
      router.calibrate();
      // A request that is faster loads it itself, and gets the error if there is one.
      if (providers.size > 0) loadUpstreams().catch(() => {});
    },
    async stop() {
      await closeWithin(app, settings.shutdownGraceMs);
      await Promise.all([...providers.values()].map((provider) => provider.close()));
      // What clients left behind is counted before its traces are written.
      await counter.close(settings.shutdownGraceMs);
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
  const report = (fault: unknown) => logger.warn({ fault: String(fault) }, "key file not followed");
  const refresh = setInterval(() => void keys.refresh().catch(report), KEY_REFRESH_MS);
  const save = setInterval(() => void keys.saveLastUsed().catch(report), LAST_USED_SAVE_MS);
  return [refresh.unref(), save.unref()];
}

async function closeWithin(app: ReturnType<typeof createApp>, graceMs: number): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), graceMs);
  try {
    await app.close();
  } finally {
    clearTimeout(deadline);
  }
}
