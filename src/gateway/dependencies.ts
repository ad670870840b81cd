import type { Logger } from "pino";
import type { CatalogProvider, Deployment } from "../engine/catalog/deployments/deployment.js";
import type { RecommendedWeight } from "../engine/estimation/saved-weight.js";
import type { CorrectionTable } from "../engine/lengths/length-corrections.js";
import type { SetReport } from "../engine/profiles/set-report.js";
import type { Router } from "../engine/router/router.js";
import type { Authenticator } from "./access/authenticator.js";
import type { KeyRing } from "./access/keys/key-ring.js";
import type { CountingLimiter } from "./access/limits/limiter.js";
import type { ResponseMemory } from "./conversations/stored-responses.js";
import type { AlertWatch } from "./features/alerts/alert-watch.js";
import type { Comparisons } from "./features/comparisons/comparisons.js";
import type { ComparisonJournal } from "./features/comparisons/journal.js";
import type { ConsoleSessions } from "./features/console/console-sessions.js";
import type { EventLog } from "./features/events/event-log.js";
import type { Reloaded } from "./features/events/reload-acts.js";
import type { Metrics } from "./features/operations/metrics/metrics.js";
import type { PauseList } from "./features/pauses/pause-list.js";
import type { ChangeableSettings } from "./features/settings/operator-settings.js";
import type { StartTimer } from "./http/event-stream.js";
import type { TestConnection } from "./run/connection-test.js";
import type { Inference } from "./run/inference.js";
import type { ModelCatalog } from "./run/model-catalog.js";
import type { PausesInForce } from "./run/pause.js";
import type { Settings } from "./settings.js";
import type { Telemetry } from "./telemetry/telemetry.js";
import type { GiveFeedback } from "./traces/feedback.js";
import type { TraceQueries } from "./traces/store.js";

/** State of one component as `GET /readyz` shows it: `ok`, and details. */
interface ComponentState {
  readonly ok: boolean;
  /** Whether the server stays ready when this component is not ok. */
  readonly optional?: boolean;
  readonly [detail: string]: unknown;
}

export type Readiness = Readonly<Record<string, ComponentState>>;

/** What can be run, as the lists of models and providers show it. */
interface ServedModels {
  /** Deployments of a model, of an entry of the settings' `deployments`, or of `provider/id`, enabled or not; empty for an unknown name. */
  deployments(name: string): readonly Deployment[];
  /** Every provider, configured or not. */
  providers(): readonly CatalogProvider[];
  /** Whether a configured provider serves the model. */
  isRunnable(model: string): boolean;
  /** Models and deployments that a configured provider serves, in the order to list them. */
  runnableModels(): readonly string[];
}

/** Reports of the profile sets in use. */
export interface SetReports {
  /** The sets in use, in their order, with the cost weight that was saved in each. */
  sets(): readonly { readonly name: string; readonly recommended: RecommendedWeight | null }[];
  /**
   * What is known of a set, by default of the first. The first call after a set was loaded takes some seconds.
   *
   * @throws SextantError `not_found`, `no_profiles_available`, `profiles_rejected` when its files have changed
   */
  report(name: string | undefined): Promise<SetReport>;
}

/** What `/console` needs beside the API. */
export interface ConsoleDependencies {
  /** Folder of the built page. */
  readonly pageFolder: string;
  /** Null: authentication is off, so there is no sign-in. */
  readonly sessions: ConsoleSessions | null;
}

/** What the server needs, built by `compose/compose.ts`. The server itself reads no environment, clock or file. */
export interface ServerDependencies {
  readonly inference: Inference;
  readonly testConnection: TestConnection;
  /** What clients refer to by the ids of responses and their items. */
  readonly responses: ResponseMemory;
  /** What answers in use say about the lengths that profiles expect; empty when they correct nothing. */
  readonly lengthCorrections: () => CorrectionTable;
  readonly router: Pick<
    Router,
    | "profiles"
    | "explain"
    | "benchmarkScores"
    | "liveModels"
    | "modelCounts"
    | "prepareMany"
    | "profileVersion"
    | "meaningOf"
  >;
  readonly setReports: SetReports;
  readonly catalog: ServedModels & Pick<ModelCatalog, "factsAt" | "providerId">;
  readonly authenticator: Authenticator;
  /** Null: there is no console. */
  readonly console: ConsoleDependencies | null;
  readonly traces: TraceQueries;
  readonly giveFeedback: GiveFeedback;
  /** Resolves when what was recorded before can be searched, or cannot be stored for the time being. */
  readonly flushTraces: () => Promise<void>;
  /** Answers compared blind: what the settings ask for, what it came to, and what this process passed over. */
  readonly comparisons: Pick<Comparisons, "state"> &
    Pick<ComparisonJournal, "results"> & { readonly entries: () => Settings["comparisons"] };
  /** What operators have paused. */
  readonly pauses: PausesInForce & Pick<PauseList, "list" | "add" | "end">;
  /** What sends alerts. */
  readonly alerts: Pick<AlertWatch, "setup" | "state" | "test" | "conditions" | "silence" | "unsilence">;
  /** What operators did. */
  readonly events: Pick<EventLog, "record" | "list">;
  readonly keys: Pick<
    KeyRing,
    "list" | "nameOf" | "limitsOf" | "create" | "update" | "rotate" | "revoke" | "noteRefused"
  >;
  /** What keys have used of their limits, and what those refused. */
  readonly limiter: Pick<CountingLimiter, "usedBy" | "budgetUse" | "refusals" | "refusalOf">;
  /**
   * Loads settings and profiles again and swaps them in whole.
   *
   * @throws SextantError `settings_rejected`, `profiles_rejected` when they cannot be used; those in use then stay
   */
  readonly reload: () => Promise<Reloaded>;
  readonly settingsPath: string;
  /** Those that operators change without a file or a restart. */
  readonly settings: ChangeableSettings;
  readonly limits: Pick<
    Settings,
    | "agentRules"
    | "auth"
    | "allowedHosts"
    | "autoCostWeight"
    | "baselineModel"
    | "corsOrigins"
    | "maxBodyBytes"
    | "maxMessages"
    | "maxQueueMs"
    | "maxRequestsInFlight"
    | "presets"
    | "stickyMetadataKey"
    | "traceBufferBytes"
    | "trustedProxies"
  >;
  readonly metrics: Metrics;
  /** Null: no spans are exported. */
  readonly telemetry: Pick<Telemetry, "startRequest"> | null;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds: the clock that `inference` was given. */
  readonly clock: () => number;
  readonly startTimer: StartTimer;
  /** Resolves when other work of the thread has run. */
  readonly yieldThread: () => Promise<void>;
  /** That many unpredictable bytes. */
  readonly randomBytes: (count: number) => Uint8Array;
  /** Component name → its state. Called for every `GET /readyz`. */
  readonly readiness: () => Readiness;
  /** Version of the package, for the OpenAPI document. */
  readonly version: string;
}
