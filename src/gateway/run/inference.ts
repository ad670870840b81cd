import type { RoutingBody } from "../../engine/router/routing-body.js";
import type { ChatChunk, ChatCompletion, JsonObject } from "../providers/chat.js";
import type { EncodedVector } from "../providers/embeddings.js";
import type { KeyHealth } from "../providers/keys/key-pool.js";
import type { KeptCall } from "../providers/provider.js";
import type { Attempt, Usage } from "../traces/trace.js";
import type { CircuitState } from "./circuit-breaker.js";
import type { InferenceDependencies } from "./dependencies.js";
import type { EmbeddingRequest, InferenceRequest, RequestContext, RoutedChoice } from "./request.js";

/** Health of a provider with a model, from the outcomes of real calls. */
export interface Health {
  /** `open`: not called for a while; `half_open`: one request may probe it. */
  readonly state: CircuitState;
  /** The failure that it is not called for; null while closed. */
  readonly reason: string | null;
  /** Share of recent calls that failed, 0 to 1; null before the first call. */
  readonly error_rate: number | null;
  /** Median time to first content of recent calls, in milliseconds; null before the first. */
  readonly p50_ttft_ms: number | null;
}

/** Health of a model at a provider that was called. */
export interface ModelHealth {
  readonly provider: string;
  readonly model: string;
  readonly health: Health;
}

/** Health of what this process has called. */
export interface ProcessHealth {
  readonly models: readonly ModelHealth[];
  /** Of providers that have several. */
  readonly keys: readonly (KeyHealth & { readonly provider: string })[];
}

/** How many models of a provider, of those that were called, have a circuit breaker in this state for this reason. */
export interface CircuitCount extends Pick<Health, "state" | "reason"> {
  readonly provider: string;
  readonly models: number;
}

export interface DecideRequest extends Pick<InferenceRequest, "body" | "metadata"> {
  readonly choice: RoutedChoice;
}

/** Runs accepted requests: limits, routing, attempts, usage, cost and the trace, in that order. */
export interface Inference {
  /**
   * Runs a request on the model it names or on the best one for it.
   *
   * @throws SextantError `model_not_found`, `provider_not_found`, `invalid_request`, `context_length_exceeded`,
   * `no_provider_available`, `rate_limit_exceeded`, `budget_exceeded`, `upstream_error`, `upstream_timeout`,
   * `request_too_large`, and those of the router; ClientDisconnected when the client left, and the signal's reason when that is a SextantError. For a stream only before its
   * first content
   */
  run(request: InferenceRequest, context: RequestContext): Promise<Answer | AnswerStream>;
  /** Returns the decision alone, with the same limits and a trace. */
  decide(request: DecideRequest, context: RequestContext): Promise<DecisionAnswer>;
  /**
   * Tokens of the prompt of a request, without running it: by the provider's API where it can count, else by a
   * tokenizer. Counts as a request for limits; writes no trace.
   *
   * @throws SextantError as `run`
   */
  countTokens(request: CountRequest, context: RequestContext): Promise<PromptCount>;
  /**
   * Creates embeddings with the named model; `sextant` is the embedder used for routing.
   *
   * @throws SextantError as `run`
   */
  embed(request: EmbeddingRequest, context: RequestContext): Promise<EmbeddingAnswer>;
  /**
   * Asks for a response that a provider keeps for the caller, or changes it there. Counts as a request for limits; writes no
   * trace.
   *
   * @throws SextantError as `askForKept`, `rate_limit_exceeded`
   */
  askForKept(call: KeptCall, context: RequestContext): Promise<KeptAnswer & Pick<Answer, "limitHeaders">>;
  /**
   * Asks for the events of a response that a provider keeps for the caller, as `askForKept`; they are those of a run in the background.
   *
   * @throws SextantError as `askForKept`; the events, when they break off
   */
  followKept(call: KeptCall, context: RequestContext): Promise<KeptEvents & Pick<Answer, "limitHeaders">>;
  health(provider: string, model: string): Health;
  /** Of everything that was called, and of all keys. */
  healthOfAll(): ProcessHealth;
}

/** Inference that can be waited for when the process ends, and whose providers can be changed while it runs. */
export interface StoppableInference extends Inference {
  /**
   * Requests that are accepted from now on use these; those in flight end with what they started with. What is known of the health of a
   * provider stays while its adapter is the same.
   *
   * @returns a promise that resolves once no request uses what was there before
   */
  replace(next: Pick<InferenceDependencies, "catalog" | "providers" | "settings">): Promise<void>;
  /** Resolves once every accepted request is over: its reservation settled, its trace recorded. */
  settled(): Promise<void>;
  /** Of all providers that were called. */
  circuits(): readonly CircuitCount[];
}

/** The fields of a request that counting needs. */
export type CountRequest = Pick<InferenceRequest, "choice" | "body" | "native" | "fallbacks">;

export interface PromptCount {
  readonly tokens: number;
  /** Whether the gateway's tokenizer counted, not the provider. */
  readonly estimated: boolean;
  readonly limitHeaders: Readonly<Record<string, string>>;
}

export interface DecisionAnswer {
  readonly routing: RoutingBody;
  readonly limitHeaders: Readonly<Record<string, string>>;
}

interface AnsweredBy {
  /** Model id as in the request. */
  readonly model: string;
  readonly provider: string;
  /**
   * Every upstream call, ending with the one that answered, and skipped providers with an open circuit. The last one of
   * a stream has its state at the first content.
   */
  readonly attempts: readonly Attempt[];
  /** The decision, for routed requests. */
  readonly routing: RoutingBody | null;
  /** `x-ratelimit-…` headers for the reply. */
  readonly limitHeaders: Readonly<Record<string, string>>;
}

/** A whole answer. Its trace is recorded and its reservation settled. */
export interface Answer extends AnsweredBy {
  readonly kind: "completion";
  readonly completion: ChatCompletion;
  readonly usage: Usage;
}

/** Embeddings. Their trace is recorded and their reservation settled. */
export interface EmbeddingAnswer extends Pick<AnsweredBy, "model" | "provider" | "limitHeaders"> {
  /** One for each input, in order, in the requested encoding. */
  readonly vectors: readonly EncodedVector[];
  readonly usage: Usage;
}

/** A streamed answer whose first content has arrived, after which there is no fallback. */
export interface AnswerStream extends AnsweredBy {
  readonly kind: "stream";
  /**
   * Chunks in order, those that arrived together in one batch; iterate once. Throws a `SextantError` when the answer
   * breaks off, `ClientDisconnected` when the client disconnects. The trace is recorded when the iteration ends, fails,
   * or is stopped early.
   */
  readonly batches: AsyncIterable<readonly ChatChunk[]>;
  /** The final count; call it after the iteration has ended. */
  usage(): Usage;
}

/** A response, a list of its input, or that it is deleted, in the provider's form. */
export interface KeptAnswer {
  readonly body: JsonObject;
  readonly provider: string;
  /** As the request that made it named it. */
  readonly model: string;
}

/** The events of a response, in the provider's form. */
export interface KeptEvents extends Omit<KeptAnswer, "body"> {
  readonly batches: AsyncIterable<readonly ChatChunk[]>;
}
