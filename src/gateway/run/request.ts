import type { Deployment } from "../../engine/catalog/deployments/deployment.js";
import type { LatencyLimit } from "../../engine/estimation/model-service.js";
import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { CancelSignal } from "../../foundation/cancel-signal.js";
import type { Principal } from "../access/principal.js";
import type { ChatBody } from "../providers/chat.js";
import type { EmbeddingBody } from "../providers/embeddings.js";
import type { NativeRequest } from "../providers/provider.js";
import type { Trace, TraceKind } from "../traces/trace.js";
import type { HostPreferences } from "./host-preferences.js";

/** One accepted request to run a model, in the form all endpoints share. */
export interface InferenceRequest {
  readonly kind: TraceKind;
  /** The named model, or a decision among several. */
  readonly choice: NamedChoice | RoutedChoice;
  /**
   * The fields for the provider, in chat completions format: `messages` and all others unchanged, without `model`,
   * `stream` and the gateway's own fields. A legacy prompt is one user message.
   */
  readonly body: ChatBody;
  /** What `body` lacks of a request of another API: fields, types of tools and of items. Absent: nothing. */
  readonly leftOut?: readonly string[];
  /** The same for models that take functions as tools alone; absent where `body` is one for them. */
  readonly functionsOnly?: { readonly body: ChatBody; readonly leftOut: readonly string[] };
  /**
   * How much a translated request wants the model to reason. Sent, in the model's own way, only where the catalog says that
   * the model can be asked: `reasoning_effort` of a client that speaks chat is in the body, and goes out as it came.
   */
  readonly effort?: string | null;
  readonly stream: boolean;
  /** The request in the format of the client's API, for providers that have the same API. */
  readonly native?: NativeForm | undefined;
  /** The field that only models with the completions API support; absent when any model can answer. */
  readonly needsCompletions?: CompletionsNeed;
  /** Models to try, in order, when the first one's providers fail. Model ids, `provider/id` or deployment names. */
  readonly fallbacks: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  /** As the client named it, where a rule of the settings names another in its place. */
  readonly requestedModel?: string;
  /** Sent as `Idempotency-Key` with every call, so that a provider that honours it bills a repeated call once. */
  readonly idempotencyKey?: string | undefined;
  /** Name of the provider's key that should send it, because it made what the request continues. */
  readonly key?: string | undefined;
}

/** One accepted request for embeddings. */
export interface EmbeddingRequest extends Pick<InferenceRequest, "fallbacks" | "metadata"> {
  readonly choice: NamedChoice;
  /** The fields for the provider, without `model` and the gateway's own fields. */
  readonly body: EmbeddingBody;
}

export interface NativeForm {
  readonly request: NativeRequest;
  /**
   * `usual`: used where the provider serves the model by that API anyway. `preferred`: wherever it has the API. Both only
   * where the deployment adds no parameters. `required`: only such a provider can answer, because of a field without a
   * counterpart in chat.
   */
  readonly use: "usual" | "preferred" | "required";
  /** The field that requires it, and its meaning; null when there is none. */
  readonly need: {
    readonly param: string;
    readonly what: string;
    /** Ids of providers that have the API and cannot serve it either. */
    readonly notBy?: Pick<ReadonlySet<string>, "has">;
  } | null;
}

/** A text completion field without a counterpart in chat, and its meaning. */
export interface CompletionsNeed {
  readonly param: string;
  readonly what: string;
}

export interface NamedChoice {
  readonly type: "named";
  /** Model id, `provider/id` or a deployment's name. */
  readonly model: string;
  /** Only this provider may be used for `model`. */
  readonly provider: string | undefined;
  /** Which providers may be used for it and its fallbacks, and in which order. */
  readonly hosts?: HostPreferences | undefined;
  /** Absent: the request says nothing of a conversation. */
  readonly conversation?: ConversationFields | undefined;
}

export interface RoutedChoice {
  readonly type: "routed";
  /** What the request named as its model: `auto`, or with a weight or preset. Absent where it names none. */
  readonly name?: string;
  readonly models: readonly string[] | undefined;
  /** The model, where its effort alone is chosen, as the request names it. */
  readonly effortOf?: NamedChoice;
  readonly costWeight: number;
  /** In place of `costWeight`: US dollars. */
  readonly maxMeanCostUsd?: number;
  readonly maxLatency?: LatencyLimit;
  readonly latencyWeight?: number;
  /** Name of the preset that the request chooses by. */
  readonly preset?: string;
  /** Why it is chosen so, for the reason of the decision. */
  readonly note?: string;
  /** Whether the decision is shown with all candidates and the anchors that it rests on. */
  readonly explain?: boolean;
  /** Only models of this provider are candidates, and only it may answer. */
  readonly provider?: string | undefined;
  /** Which providers may answer, and in which order they are asked. */
  readonly hosts?: HostPreferences | undefined;
  /** Absent: the request says nothing of a conversation. */
  readonly conversation?: ConversationFields | undefined;
}

/** What a request says of its conversation, beside its metadata. */
export interface ConversationFields {
  /** Whether the decision takes the conversation's model into account; undefined: as the settings say. */
  readonly sticky?: boolean | undefined;
  /** The client's name of the conversation. */
  readonly name?: string | undefined;
  /** What a coding agent sends of its session with every request, those of its sub-agents included. */
  readonly session?: string | undefined;
}

/** The caller of a request, its arrival, and its cancellation. */
export interface RequestContext {
  readonly requestId: string;
  readonly principal: Principal;
  /** The trace's source. */
  readonly source: string;
  /** Monotonic milliseconds at arrival, from the same clock that inference was given. */
  readonly arrivedMs: number;
  /** Milliseconds since the epoch at arrival. */
  readonly createdAtMs: number;
  /** Aborted when the client goes away. */
  readonly signal: CancelSignal;
  /** Null or absent unless spans are exported. */
  readonly span?: RequestSpan | null;
}

/** Observes one request while spans are exported; `telemetry` implements it. Moments are on the clock of `RequestContext.arrivedMs`. */
export interface RequestSpan {
  /** The request is accepted: `finished` follows, possibly after the client's connection is closed. */
  accepted(): void;
  /** A part of the work, which lasted from `startMs` until now. */
  part(name: string, startMs: number): void;
  /** A decision was made, from `startMs` until now. */
  decided(routing: RoutingBody, startMs: number): void;
  /**
   * An upstream call begins now. Its end and its outcome are those of the trace's attempt with that index.
   *
   * @returns headers for the provider, which continue the trace there
   */
  callStarted(deployment: Deployment, attemptIndex: number): Readonly<Record<string, string>>;
  /** The request is over. Null when it leaves no trace because it was refused before any call. */
  finished(trace: Trace | null): void;
}
