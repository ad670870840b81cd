import type { CancelSignal } from "../../foundation/cancel-signal.js";
import type { ChatBody, ChatChunk, ChatCompletion, JsonObject } from "./chat.js";
import type { EmbeddingBody, EncodedVector } from "./embeddings.js";
import type { TokenUsage } from "./token-usage.js";

/** An API beside chat completions that clients speak and some providers have themselves. */
export type NativeApi = "responses" | "messages";

/** A request in the form of such an API, to be passed on as it came. */
export interface NativeRequest {
  readonly api: NativeApi;
  /** Without `model`, `stream` and the fields that are ours alone. */
  readonly body: JsonObject;
  /** Headers of the client that belong to the API, such as `anthropic-version`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the call's `body` says all of it, so that it may be sent instead. */
  readonly replaceable: boolean;
}

/** One call of one upstream model. */
export interface ProviderCall {
  /** Name the provider knows the model by. */
  readonly upstreamModel: string;
  /** Which upstream endpoint serves the model: `completions` for models that cannot chat. */
  readonly api: "chat" | "responses" | "completions";
  /** With `responses`: whether chat completions serve the model too. */
  readonly chatToo?: boolean | undefined;
  /**
   * Everything else to send. For `completions` it holds `messages` too: a single user message whose text is the prompt,
   * and an adapter sends that text as `prompt`.
   */
  readonly body: ChatBody;
  readonly stream: boolean;
  /** Sent in place of `body`, to a provider whose `natives` name its API; the reply then carries its own form as `native`. */
  readonly native?: NativeRequest | undefined;
  /** The `Idempotency-Key` header: the same for calls of which at most one is to be answered and billed. */
  readonly idempotencyKey?: string | undefined;
}

/** A call for the vectors of texts. */
export interface EmbeddingCall {
  /** Name the provider knows the model by. */
  readonly upstreamModel: string;
  /** Everything else to send. `encoding_format` is also the form of the reply's vectors. */
  readonly body: EmbeddingBody;
}

export interface EmbeddingReply {
  /** One for each input, in order, in the form that was asked for. */
  readonly vectors: readonly EncodedVector[];
  /** Null when the provider sent none. */
  readonly usage: TokenUsage | null;
}

/** A request about a response that the provider keeps. */
export interface KeptCall {
  readonly method: "GET" | "POST" | "DELETE";
  readonly id: string;
  readonly action?: "cancel" | "input_items" | undefined;
  /** With its question mark, or empty. */
  readonly query: string;
}

export interface StreamEvent {
  /** To be forwarded as it is; null for an event that only carries usage. */
  readonly chunk: ChatChunk | null;
  /** The provider's count, whenever it sends one: with or without choices, in any event. A later one replaces it. */
  readonly usage: TokenUsage | null;
  /** True of a run in the background, which goes on whether its events are read or not. */
  readonly isRunning?: true;
}

/** Events in order, those of one network read together, so that they can leave together. Never an empty batch. */
export type StreamBatches = AsyncIterable<readonly StreamEvent[]>;

export type ProviderReply =
  | {
      readonly kind: "completion";
      readonly completion: ChatCompletion;
      /** Null when the provider sent none. */
      readonly usage: TokenUsage | null;
    }
  | {
      readonly kind: "stream";
      /**
       * Ends only after a complete answer (a finish reason or `[DONE]` was seen), else throws `ProviderFault`. Leaving the
       * loop early closes the upstream connection.
       */
      readonly batches: StreamBatches;
    };

/** Header fields by lower-case name. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface CallOptions {
  /** Aborting it closes the upstream connection at once; the promise, or the stream, then rejects with the signal's reason. */
  readonly signal: CancelSignal;
  /** Sent in addition to the provider's own. Not for credentials: any value may be sent to any provider. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Called with the headers of a successful reply as they arrive. */
  readonly seen?: ((headers: ReplyHeaders) => void) | undefined;
}

/** One upstream API in one wire dialect. Knows no retries, no time limits and no prices: dispatch does. */
export interface Provider {
  /** As in settings, decisions and traces. */
  readonly id: string;
  /** The APIs beside chat completions that it has itself. */
  readonly natives: ReadonlySet<NativeApi>;
  /**
   * Resolves with the whole answer, or, for `stream`, as soon as the upstream accepted the request.
   *
   * @throws ProviderFault for everything but an aborted signal
   */
  send(call: ProviderCall, options: CallOptions): Promise<ProviderReply>;
  /**
   * Tokens of a prompt as the provider counts them, for a provider whose API can say so.
   *
   * @throws as `send`
   */
  countTokens?(
    call: { readonly upstreamModel: string; readonly native: NativeRequest },
    options: CallOptions,
  ): Promise<number>;
  /**
   * Vectors of texts, for a provider whose API makes them.
   *
   * @throws as `send`
   */
  embed?(call: EmbeddingCall, options: CallOptions): Promise<EmbeddingReply>;
  /**
   * Asks for a response that the provider keeps, or changes it, for a provider that keeps some.
   *
   * @returns what the provider answers, in its own form
   * @throws as `send`
   */
  kept?(call: KeptCall, options: CallOptions): Promise<JsonObject>;
  /**
   * The events of a response that the provider keeps, from the one on that the query names.
   *
   * @throws as `send`
   */
  keptEvents?(call: KeptCall, options: CallOptions): Promise<StreamBatches>;
  /** Lets go of idle connections. Calls under way are not waited for. */
  close(): Promise<void>;
}

/**
 * What went wrong with a call, in the words of traces and of `attempts`:
 *
 * - `connection_error`: no connection, or it broke before the answer began
 * - `cut_off`: it broke, or ended without a finish, after the answer began
 * - `timeout`: a time limit of ours passed
 * - `invalid_reply`, `wrong_model` and `reply_too_large`: success, but not what the dialect says, by another model than the settings
 *   allow, or with more bytes
 * - the others by status and words, as `http/fault.ts` reads them
 */
export type ProviderFaultCode = keyof typeof FAULTS;

/**
 * - `words`: of a fault's message
 * - `mended`: what may help: the same provider a moment later, another provider or model alone, which the same one would only
 *   repeat, and bill once more where it had generated something, or nothing
 * - `counts`: not against the provider's health, since it concerns the request, which any provider would refuse
 * - `rests`: what of the operator's account is not called for a while, since another key or account may do better: the model, as long as
 *   a `limit` is full or because the account may not use the `model`, or the whole `account`
 */
interface FaultTraits {
  readonly words: string;
  readonly mended: "later" | "elsewhere" | "never";
  readonly counts?: false;
  readonly rests?: "limit" | "model" | "account";
}

export const FAULTS = {
  connection_error: { words: "no connection to the provider", mended: "later" },
  cut_off: { words: "the provider's answer broke off", mended: "later" },
  timeout: { words: "the provider took too long", mended: "elsewhere" },
  rate_limited: { words: "the provider asks for fewer requests", mended: "later", rests: "limit" },
  quota_exhausted: {
    words: "the provider's account has used up its quota",
    mended: "elsewhere",
    rests: "account",
  },
  overloaded: { words: "the provider is overloaded", mended: "later" },
  server_error: { words: "the provider failed", mended: "later" },
  invalid_reply: { words: "the provider's reply cannot be read", mended: "later" },
  wrong_model: { words: "the provider answered with another model", mended: "elsewhere" },
  reply_too_large: { words: "the provider's reply is too large", mended: "elsewhere", counts: false },
  credentials_refused: {
    words: "the provider refused the configured credentials",
    mended: "elsewhere",
    rests: "account",
  },
  model_not_found: { words: "the provider does not know the model", mended: "elsewhere", rests: "model" },
  context_length_exceeded: {
    words: "the prompt is too long for the model",
    mended: "never",
    counts: false,
  },
  content_filter: {
    words: "the provider's content filter refused the request",
    mended: "never",
    counts: false,
  },
  request_refused: { words: "the provider refused the request", mended: "never", counts: false },
} as const satisfies Readonly<Record<string, FaultTraits>>;

export interface ProviderFaultDetails {
  /** HTTP status of the upstream's reply; null without one. */
  readonly status?: number | null;
  /** How long the upstream asks to wait: `Retry-After` in seconds or as a date, `retry-after-ms`. */
  readonly retryAfterMs?: number | null;
  /** The upstream's own error code and field, only when they are short identifiers. */
  readonly upstreamCode?: string | null;
  readonly upstreamParam?: string | null;
  /**
   * What the upstream said, from `callerMessage`: at most 2,000 characters, keys and addresses removed. It may quote the
   * prompt, so it is for the caller and for traces that keep content, and never for a log.
   */
  readonly upstreamMessage?: string | null;
  /** The `usage` of the reply that failed, as the provider wrote it; undefined when it told none. */
  readonly reportedUsage?: unknown;
  /** The same, read by the provider's adapter; null when there is none to read. */
  readonly usage?: TokenUsage | null;
  /** What had arrived of a whole answer that was cut off; null when none had started. */
  readonly partialReply?: string | null;
  /** Of a timeout: the setting whose limit passed. */
  readonly limit?: string | null;
  readonly cause?: unknown;
}

/** A call that failed. The message is safe in a log: no upstream text, no key, no prompt. */
export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly code: ProviderFaultCode;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly upstreamCode: string | null;
  readonly upstreamParam: string | null;
  readonly upstreamMessage: string | null;
  readonly reportedUsage: unknown;
  readonly usage: TokenUsage | null;
  readonly limit: string | null;
  /** Private, so that nothing that lists the properties of an error shows it. */
  readonly #partialReply: string | null;

  constructor(code: ProviderFaultCode, message: string, details: ProviderFaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.upstreamCode = details.upstreamCode ?? null;
    this.upstreamParam = details.upstreamParam ?? null;
    this.upstreamMessage = details.upstreamMessage ?? null;
    this.reportedUsage = details.reportedUsage;
    this.usage = details.usage ?? null;
    this.limit = details.limit ?? null;
    this.#partialReply = details.partialReply ?? null;
  }

  get partialReply(): string | null {
    return this.#partialReply;
  }

  /** The same fault, with more details or other ones. */
  with(details: ProviderFaultDetails): ProviderFault {
    const { partialReply, cause } = this;
    return new ProviderFault(this.code, this.message, { ...this, partialReply, cause, ...details });
  }

  /** Whether another provider, account or model may do better: false for what the request itself is refused for. */
  get retryable(): boolean {
    return FAULTS[this.code].mended !== "never";
  }

  /** What rests; null for what is no fault of the account. */
  get rests(): NonNullable<FaultTraits["rests"]> | null {
    const { code, status, upstreamMessage } = this;
    const { rests }: FaultTraits = FAULTS[code];
    // Groq's, of an account whose service tier has no capacity left: https://console.groq.com/docs/errors (read on 2026-11-28).
    if (status === 498) return "model";
    if (code === "quota_exhausted" && DEAR_REQUEST.test(upstreamMessage ?? "")) return "limit";
    // A 403, and an error inside a reply, may concern one model alone.
    return code === "credentials_refused" && (status === 403 || status === 200) ? "model" : (rests ?? null);
  }

  /** Whether the same provider may do better a moment later. */
  get passing(): boolean {
    return FAULTS[this.code].mended === "later";
  }
}

/** OpenRouter's 402 for an answer that may become too dear; others pass: https://github.com/awsl-project/maxx/pull/818 (2026-08-19). */
const DEAR_REQUEST = /can only afford \d/;

/**
 * A request that cannot be expressed in the provider's API and is not sent. Names the field, and its value only where
 * that is known to be a term of the API and not part of a prompt.
 *
 * @param param path of the field, `messages[0].content`
 */
export function refusal(param: string, problem: string): ProviderFault {
  return new ProviderFault("request_refused", `\`${param}\` ${problem}`, { upstreamParam: param });
}
