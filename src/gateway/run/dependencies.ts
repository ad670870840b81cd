import type { Embedder } from "../../engine/embedding/embedder.js";
import type { SavedLengths } from "../../engine/lengths/saved-lengths.js";
import type { Router } from "../../engine/router/router.js";
import type { Clock, Timers } from "../../foundation/timers.js";
import type { Limiter } from "../access/limits/limits.js";
import type { ConversationMemory } from "../conversations/conversation-memory.js";
import type { ResponseMemory } from "../conversations/stored-responses.js";
import type { Provider } from "../providers/provider.js";
import type { Settings } from "../settings.js";
import type { TokenCounter } from "../token-counting/token-counter.js";
import type { Trace, TraceSink } from "../traces/trace.js";
import type { ModelCatalog } from "./model-catalog.js";
import type { PausesInForce } from "./pause.js";
import type { InferenceRequest } from "./request.js";

/** What running requests takes; each part of it has what it needs of this. */
export interface InferenceDependencies {
  readonly router: Pick<Router, "route" | "liveModels">;
  /** The embedder used for routing. */
  readonly embedder: Pick<Embedder, "dimensions" | "embed">;
  readonly catalog: ModelCatalog;
  /** Every provider that the catalog enables, by id. */
  readonly providers: ReadonlyMap<string, Provider>;
  /** What operators have paused. */
  readonly pauses: PausesInForce;
  readonly limiter: Pick<Limiter, "reserve">;
  /** Which model answered before in a conversation. */
  readonly conversations: ConversationMemory;
  /** Where responses are that providers keep. */
  readonly responses: Pick<ResponseMemory["stored"], "find" | "forget">;
  /** Used only where a provider sends no count, and where a prompt may be too long. */
  readonly counter: TokenCounter;
  readonly traces: TraceSink;
  /** Observes the answers of routed requests; undefined when lengths are not corrected. */
  readonly lengths?: Pick<SavedLengths, "observe"> | undefined;
  readonly observer?: AnswerObserver | undefined;
  /** The clock of `RequestContext.arrivedMs`. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** As `HealthDependencies.probes`. */
  readonly circuitProbes?: number | undefined;
  readonly settings: InferenceSettings;
  /** Receives a line for each upstream call, and when a circuit opens or closes. */
  readonly logger?: InferenceLog | undefined;
}

type InferenceSettings = Pick<
  Settings,
  | "autoCostWeight"
  | "baselineModel"
  | "cacheBreakpoints"
  | "circuitCooldownMs"
  | "circuitFailures"
  | "exploreShare"
  | "fallbacks"
  | "helpAfterToolErrors"
  | "hostSort"
  | "maxAttempts"
  | "measuredTimeouts"
  | "modelLimits"
  | "presets"
  | "providerPolicies"
  | "retries"
  | "retryMaxWaitMs"
  | "servedModel"
  | "sticky"
  | "stickyMetadataKey"
  | "traceBufferBytes"
  | "traceMaxTextCharacters"
  | "upstreamHeadersTimeoutMs"
  | "upstreamIdleTimeoutMs"
  | "upstreamTotalTimeoutMs"
>;

type Report = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** Failed calls are `info`, the others `debug`; circuits that open are `warn`. */
export interface InferenceLog {
  readonly warn: Report;
  readonly info: Report;
  readonly debug: Report;
}

/** Sees finished answers after their traces were recorded, at once: it must not hold anything up. */
export interface AnswerObserver {
  /** @param answer whose text is put together when it is asked for */
  answered(answer: FinishedAnswer): void;
}

export interface FinishedAnswer {
  readonly trace: Trace;
  readonly request: InferenceRequest;
  readonly text: () => string;
}
