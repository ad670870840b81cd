import type { Principal } from "../access/principal.js";
import type { ChatBody } from "../providers/chat.js";
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
  readonly stream: boolean;
  /** Models to try, in order, when the first one's providers fail. Model ids, `provider/id` or deployment names. */
  readonly fallbacks: readonly string[];
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
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
