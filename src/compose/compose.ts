/** Builds every component of a server from the settings and connects them; the only file that knows the order of start and stop. */
import type { Logger } from "pino";
import { catalogAgeNotes } from "../engine/catalog/catalog-age.js";
import { LOCAL_EMBEDDER } from "../engine/catalog/deployments/local-embedder.js";
import { unpricedNotes } from "../engine/catalog/deployments/unpriced.js";
import { recommendedCostWeight } from "../engine/index.js";
import { SavedLengths, type SavedLengthsOptions } from "../engine/lengths/saved-lengths.js";
import type { OpenRouter } from "../engine/open-router.js";
import { packageVersion } from "../foundation/package.js";
import { systemClock, systemTimers, waitingTimers, within } from "../foundation/timers.js";
import type { CreatedKey } from "../gateway/access/keys/key-ring.js";
import { budgetNotes } from "../gateway/access/limits/budget.js";
import { limitUses } from "../gateway/access/limits/limit-use.js";
import { openConversations } from "../gateway/conversations/conversation-memory.js";
import { openResponses } from "../gateway/conversations/stored-responses.js";
import { createMetrics, type Metrics } from "../gateway/features/operations/metrics/metrics.js";
import {
  budgetReadings,
  circuitReadings,
  conditionReadings,
  keyReadings,
  lengthReadings,
  limitUseReadings,
  passedOverReadings,
  pauseReadings,
  reading,
  traceReadings,
} from "../gateway/features/operations/metrics/readings.js";
import { decidable, providersSentence } from "../gateway/run/configured-summary.js";
import { type ExampleChoice, exampleChoice } from "../gateway/run/example-choice.js";
import type { SettingsSource } from "../gateway/settings/settings-source.js";
import type { Settings } from "../gateway/settings.js";
import { openStores } from "../gateway/storage/open-stores.js";
import { openTelemetry } from "../gateway/telemetry/open-telemetry.js";
import { openTraces } from "../gateway/traces/open-traces.js";
import type { TraceSink } from "../gateway/traces/trace.js";
import { composeAccess, REFRESH_MS } from "./access.js";
import { openAlerts } from "./alerts.js";
import { composeComparisons } from "./comparisons.js";
import { checkModels, composeConfiguration } from "./configuration.js";
import { composeInference } from "./inference.js";
import { openOperatorSettings } from "./operator-settings.js";
import { composeReloads, watchedFiles } from "./reloads.js";
import { createHttpServer } from "./server.js";
import { openSetReports } from "./set-reports.js";

export interface ComposedServer {
  /** The configured providers, or what would configure one. A sentence. */
  readonly providers: string;
  /** Models that an example request can be decided among; null when there are fewer than two. */
  readonly example: ExampleChoice | null;
  /** What an operator is warned of. */
  readonly notes: readonly string[];
  /** Listens. @returns the address, `http://127.0.0.1:8080` @throws what the system says, such as EADDRINUSE */
  start(): Promise<string>;
  /**
   * Makes a key where there is none: show it, it cannot be shown again. Call it once the server listens: a start that fails
   * would leave a key that has been shown to no one.
   */
  makeFirstKey(): Promise<CreatedKey | undefined>;
  /** Does what the first requests would otherwise wait for. */
  warmUp(): void;
  /** Loads settings and profile sets again. What is wrong with them is logged; those in use then stay. */
  reload(): Promise<void>;
  /** Stops accepting, lets requests in flight finish within the grace, saves, closes. */
  stop(): Promise<void>;
}

export interface ServerSources {
  readonly logger: Logger;
  readonly openRouter: OpenRouter;
  /** Where the keys of providers come from, `.env` read into it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Reads the settings again; undefined: they stay as they are. */
  readonly source?: SettingsSource | undefined;
}

/** Everything `sextant serve` runs, not yet listening. */
export async function composeServer(given: Settings, sources: ServerSources): Promise<ComposedServer> {
  const { logger, source } = sources;
  const stores = await openStores(given);
  const operatorSettings = await openOperatorSettings(stores, { source, everyMs: REFRESH_MS, logger });
  const settings = source?.current.settings ?? given;
  const configuration = composeConfiguration(
    { settings, environment: sources.environment },
    {
      source,
      log: logger,
      use(next) {
        access.limiter.useBudgets(next.settings.budgets);
        alerts.use(next.alerts);
        return running.inference.replace(next);
      },
    },
  );
  const { catalog, current } = configuration;
  const lengths = await savedLengths(settings, { store: stores.local, log: logger });
  const changes = await watchedFiles(settings, source);
  const opened = await sources.openRouter(settings, {
    catalog,
    lengthRatioOf: lengths && ((model) => lengths.ratioOf(model)),
  });
  const { router, embedder } = opened;
  const memorySources = { now: Date.now, timers: systemTimers };
  const fleet = settings.redisUrl === undefined ? undefined : stores.shared;
  const conversations = openConversations({ ...memorySources, store: fleet });
  const responses = openResponses(settings, { ...memorySources, store: stores.shared, fleet });
  const lengthCorrections = () => lengths?.corrections() ?? new Map();
  const isKnownModel = (model: string) => model === LOCAL_EMBEDDER || catalog.deployments(model).length > 0;
  const metrics = createMetrics({
    isKnownModel,
    providers: catalog.providers().flatMap(({ id, enabled }) => (enabled ? [id] : [])),
  });
  const access = await composeAccess(settings, {
    stores,
    logger,
    onRefusal: metrics.refused,
    onSwitch: metrics.switched,
  });
  const traces = openTraces(settings, { timers: systemTimers, now: Date.now, log: logger });
  const running = composeInference({
    current,
    router,
    embedder,
    limiter: access.limiter,
    pauses: access.pauses,
    traces: countedAndKept(metrics, traces.sink),
    lengths,
    observer: { answered: (answer) => comparisons.observer.answered(answer) },
    conversations,
    responses: responses.stored,
    logger,
  });
  const comparisons = composeComparisons(settings, {
    store: stores.local,
    current,
    inference: running.inference,
    catalog,
    traces,
    log: logger,
  });
  const reloads = composeReloads(settings, {
    opened,
    settings: configuration,
    source,
    lengths,
    metrics,
    changes,
    log: logger,
    events: access.events,
  });
  const alerts = openAlerts(current().alerts, {
    everyMs: settings.alertIntervalMs,
    store: stores.shared,
    access,
    catalog,
    traces,
    log: logger,
    health: () => running.inference.healthOfAll(),
  });
  const { inference } = running;
  const { keys, limiter, pauses } = access;
  const names = settings.metricsKeyNames ? "shown" : "hidden";
  const limitUse = () => limitUses(keys.usable(), (principal) => limiter.used(principal));
  metrics.watchProcess();
  metrics.watch("build", () => [{ labels: { version: packageVersion() }, value: 1 }]);
  metrics.watch("traces", () => traceReadings(traces.stats()));
  metrics.watch("tracesWaiting", () => reading(traces.stats()?.buffered ?? 0));
  metrics.watch("spill", () => reading(traces.stats()?.spillBytes ?? 0));
  metrics.watch("limitUse", () => limitUseReadings(limitUse(), { names }));
  metrics.watch("budgetUse", async () => budgetReadings(await limiter.budgetUse()));
  metrics.watch("comparisonsPassedOver", () => passedOverReadings(comparisons));
  metrics.watch("pauses", () => pauseReadings(pauses.list()));
  metrics.watch("answerLength", () => lengthReadings(lengthCorrections(), isKnownModel));
  metrics.watch("profiles", () => [
    { labels: { version: router.profileVersion }, value: router.profiles().length },
  ]);
  metrics.watch("circuits", () => circuitReadings(inference.circuits()));
  metrics.watch("keysUsable", () => keyReadings(inference.healthOfAll().keys));
  metrics.watch("conditions", () => conditionReadings(alerts));
  const telemetry = await openTelemetry({
    environment: sources.environment,
    clock: systemClock,
    log: logger,
    conversationKey: settings.stickyMetadataKey,
    isRedacted: settings.traceRedact.length > 0,
  });
  const setReports = openSetReports({ setsInUse: opened.setsInUse, lookup: catalog.lookup });
  const server = createHttpServer(settings, {
    setReports,
    responses,
    inference: running.inference,
    testConnection: running.testConnection,
    router,
    embedder,
    catalog,
    access,
    alerts,
    traces,
    metrics,
    telemetry,
    lengthCorrections,
    reload: reloads.reload,
    settings: operatorSettings.follow({ current, ...reloads }),
    settingsPath: source?.path ?? "",
    current,
    comparisons,
    logger,
  });
  // Asked while profiles were loaded: the first request may name what they have.
  await configuration.discovered;
  checkModels(settings, catalog);
  const choices = decidable(router, catalog);
  return {
    makeFirstKey: access.makeFirstKey,
    providers: providersSentence(catalog),
    example: exampleChoice(choices, {
      lookup: catalog.lookup,
      isRunnable: catalog.providers().some(({ enabled }) => enabled),
      costWeight: recommendedCostWeight(opened.setsInUse().map((set) => set.recommended)),
    }),
    notes: [
      ...catalogAgeNotes(new Date()),
      ...opened.notes,
      ...operatorSettings.notes,
      ...unpricedNotes(settings, catalog),
      ...budgetNotes(settings.budgets),
      ...(choices.length < 2 ? [TOO_FEW_CHOICES] : []),
    ],
    async start() {
      const address = await server.start();
      // Not before: a server that cannot listen forgets no lengths and reports none as forgotten.
      lengths?.useProfiles(opened.profileFilesVersion());
      return address;
    },
    warmUp() {
      running.warmUp();
      router.meaningOf(settings.autoCostWeight);
    },
    reload: reloads.unasked,
    async stop() {
      operatorSettings.stop();
      reloads.stopWatching();
      await server.stop();
      // What clients left behind is counted before its traces are written.
      configuration.stop();
      await comparisons.close();
      await running.close(settings.shutdownGraceMs);
      await Promise.all([
        traces.close(settings.shutdownGraceMs),
        access.close(),
        alerts.close(),
        lengths?.close(),
        setReports.close(),
        within(settings.shutdownGraceMs, Promise.resolve(telemetry?.close()), waitingTimers),
      ]);
      await stores.close();
      await router.close();
    },
  };
}

const TOO_FEW_CHOICES =
  "`auto` is not offered: it needs two models that a configured provider serves and the profiles know.";

/** Length corrections, saved; undefined when the settings switch them off. */
async function savedLengths(
  { lengthCorrection }: Pick<Settings, "lengthCorrection">,
  { store, log }: Pick<SavedLengthsOptions, "store" | "log">,
): Promise<SavedLengths | undefined> {
  if (lengthCorrection === "off") return undefined;
  return SavedLengths.open({ store, timers: systemTimers, log });
}

/** Finished requests are counted and kept. */
const countedAndKept = (metrics: Metrics, sink: TraceSink): TraceSink => ({
  wantsContent: sink.wantsContent,
  record(trace) {
    metrics.record(trace);
    sink.record(trace);
  },
});
