/** The HTTP server over what answers its requests. */
import { randomBytes } from "node:crypto";
import type { Logger } from "pino";
import type { Catalog } from "../engine/catalog/catalog.js";
import type { CorrectionTable } from "../engine/lengths/length-corrections.js";
import type { OpenedRouter } from "../engine/open-router.js";
import { packageVersion } from "../foundation/package.js";
import { systemClock, yieldThread } from "../foundation/timers.js";
import { createApp } from "../gateway/app.js";
import type { ServerDependencies, SetReports } from "../gateway/dependencies.js";
import type { Metrics } from "../gateway/features/operations/metrics/metrics.js";
import { reading, readyReadings } from "../gateway/features/operations/metrics/readings.js";
import { startTimer } from "../gateway/http/event-stream.js";
import { closeWithin } from "../gateway/http/shutdown.js";
import type { TestConnection } from "../gateway/run/connection-test.js";
import type { Inference } from "../gateway/run/inference.js";
import { CONSOLE_PAGE, type Settings } from "../gateway/settings.js";
import type { Telemetry } from "../gateway/telemetry/telemetry.js";
import type { Traces } from "../gateway/traces/open-traces.js";
import type { ComposedAccess } from "./access.js";

interface HttpServerSources extends Pick<OpenedRouter, "router" | "embedder"> {
  readonly inference: Inference;
  readonly testConnection: TestConnection;
  readonly responses: ServerDependencies["responses"];
  readonly setReports: SetReports;
  readonly catalog: Catalog;
  readonly access: ComposedAccess;
  readonly alerts: ServerDependencies["alerts"];
  readonly traces: Traces;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry | null;
  readonly lengthCorrections: () => CorrectionTable;
  readonly reload: ServerDependencies["reload"];
  readonly settingsPath: string;
  readonly current: () => Settings;
  readonly comparisons: ServerDependencies["comparisons"];
  readonly logger: Logger;
}

interface HttpServer {
  /** Listens. @returns the address @throws what the system says, such as EADDRINUSE */
  start(): Promise<string>;
  /** As `closeWithin`, with the grace of the settings. */
  stop(): Promise<void>;
}

/**
 * Connections of a burst that the system holds until they are accepted, if its own limit allows (`net.core.somaxconn`); Node's
 * 511 drops the others without an answer.
 */
const LISTEN_BACKLOG = 4096;

export function createHttpServer(settings: Settings, sources: HttpServerSources): HttpServer {
  const { inference, router, embedder, catalog, access, traces, metrics, logger } = sources;
  const readiness = () => {
    const count = router.profiles().length;
    return {
      embedder: { ok: true, id: embedder.id },
      profiles: { ok: count > 0, version: router.profileVersion, count },
      limits: { ...access.limiter.health() },
      traces: { ...traces.health(), optional: true },
    };
  };
  metrics.watch("ready", () => readyReadings(readiness()));
  if (settings.redisUrl !== undefined) {
    metrics.watch("limitsShared", () => reading(access.limiter.health().shared ? 1 : 0));
  }
  const app = createApp({
    inference,
    router,
    lengthCorrections: sources.lengthCorrections,
    testConnection: sources.testConnection,
    responses: sources.responses,
    comparisons: sources.comparisons,
    setReports: sources.setReports,
    catalog,
    traces: traces.store,
    giveFeedback: traces.giveFeedback,
    authenticator: access.authenticator,
    console: settings.console ? { pageFolder: CONSOLE_PAGE, sessions: access.sessions } : null,
    keys: access.keys,
    pauses: access.pauses,
    events: access.events,
    alerts: sources.alerts,
    limiter: access.limiter,
    reload: sources.reload,
    settingsPath: sources.settingsPath,
    limits: {
      ...settings,
      // They change without a restart.
      get presets() {
        return sources.current().presets;
      },
    },
    metrics,
    telemetry: sources.telemetry,
    logger,
    now: Date.now,
    clock: systemClock,
    startTimer,
    yieldThread,
    randomBytes,
    readiness,
    version: packageVersion(),
  });
  return {
    start: () => app.listen({ host: settings.host, port: settings.port, backlog: LISTEN_BACKLOG }),
    stop: () => closeWithin(app, settings.shutdownGraceMs),
  };
}
