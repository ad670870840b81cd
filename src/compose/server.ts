/** The HTTP server over what answers its requests. */
import { randomBytes } from "node:crypto";
import type { OpenedRouter } from "../engine/open-router.js";
import { packageVersion } from "../foundation/package.js";
import { systemClock, yieldThread } from "../foundation/timers.js";
import { createApp } from "../gateway/app.js";
import type { ServerDependencies } from "../gateway/dependencies.js";
import { reading, readyReadings } from "../gateway/features/operations/metrics/readings.js";
import { startTimer } from "../gateway/http/event-stream.js";
import { closeWithin } from "../gateway/http/shutdown.js";
import { CONSOLE_PAGE, type Settings } from "../gateway/settings.js";
import type { Traces } from "../gateway/traces/open-traces.js";
import type { ComposedAccess } from "./access.js";

/** Given by the access or the traces, or the same in every server. */
type Derived =
  | "authenticator"
  | "clock"
  | "console"
  | "events"
  | "flushTraces"
  | "giveFeedback"
  | "keys"
  | "limiter"
  | "limits"
  | "now"
  | "pauses"
  | "randomBytes"
  | "readiness"
  | "startTimer"
  | "traces"
  | "version"
  | "yieldThread";

interface HttpServerSources extends Omit<ServerDependencies, Derived>, Pick<OpenedRouter, "embedder"> {
  readonly access: ComposedAccess;
  readonly traces: Traces;
  readonly current: () => { readonly settings: Settings };
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
  const { embedder, access, traces, current, ...others } = sources;
  const { router, metrics } = others;
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
    ...others,
    traces: traces.store,
    giveFeedback: traces.giveFeedback,
    flushTraces: () => traces.flush(),
    authenticator: access.authenticator,
    console: settings.console ? { pageFolder: CONSOLE_PAGE, sessions: access.sessions } : null,
    keys: access.keys,
    pauses: access.pauses,
    events: access.events,
    limiter: access.limiter,
    limits: {
      ...settings,
      // They change without a restart.
      get agentRules() {
        return current().settings.agentRules;
      },
      get presets() {
        return current().settings.presets;
      },
      get autoCostWeight() {
        return current().settings.autoCostWeight;
      },
      get baselineModel() {
        return current().settings.baselineModel;
      },
    },
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
