import type { Principal } from "../access/principal.js";
import type { ChatBody } from "../providers/chat.js";
import type { EmbeddingBody } from "../providers/embeddings.js";
import type { NativeRequest } from "../providers/provider.js";
import type { TraceKind } from "../traces/trace.js";

/** One accepted request to run a model, in the form all endpoints share. */
export interface InferenceRequest {
  readonly kind: TraceKind;
  /** The model asked for by name, or the wish to have it chosen. */
  readonly choice: NamedChoice | RoutedChoice;
  /**
   * What the client wants sent, in the form of chat completions: `messages` and every other field as it came, without
   * `model`, `stream` and the fields that are ours alone. A legacy prompt is one user message.
   */
  readonly body: ChatBody;
  /**
   * How much a translated request wants the model to reason. Sent, in the model's own way, only where the catalog says that
   * the model can be asked: `reasoning_effort` of a client that speaks chat is in the body, and goes out as it came.
   */
  readonly effort?: string | null;
  readonly stream: boolean;
  /** The request in the form of the API that the client speaks, where a provider may have that API itself. */
  readonly native?: NativeForm | undefined;
  /** What only models whose API is that of text completions can do; absent when any can answer. */
  readonly needsCompletions?: CompletionsNeed;
  /** Models to try, in order, when the first one's providers fail. Model ids, `provider/id` or deployment names. */
  readonly fallbacks: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
}

/** One accepted request for embeddings. */
export interface EmbeddingRequest extends Pick<InferenceRequest, "fallbacks" | "metadata"> {
  readonly choice: NamedChoice;
  /** What the client wants sent, without `model` and the fields that are ours alone. */
  readonly body: EmbeddingBody;
}

export interface NativeForm {
  readonly request: NativeRequest;
  /**
   * `preferred`: wherever the provider has the API, and the deployment adds no parameters. `required`: only such a provider
   * can answer, because of a field that has no counterpart in chat.
   */
  readonly use: "preferred" | "required";
  /** The field that requires it, and what it asks for; null when nothing does. */
  readonly need: { readonly param: string; readonly what: string } | null;
}

/** A field of a text completion that chat has no counterpart of, and what it asks for. */
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
}

export interface RoutedChoice {
  readonly type: "routed";
  readonly models: readonly string[] | undefined;
  readonly costWeight: number;
  /** Only what this provider serves may be chosen, and only it may answer. */
  readonly provider?: string | undefined;
}

/** Who asks, and for how long the answer is wanted. */
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
  readonly signal: AbortSignal;
}
