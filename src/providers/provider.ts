import type { ChatBody, ChatChunk, ChatCompletion } from "./chat.js";
import type { TokenUsage } from "./token-usage.js";

/** One call of one upstream model. */
export interface ProviderCall {
  /** Name the provider knows the model by. */
  readonly upstreamModel: string;
  /** Which upstream endpoint serves the model: `completions` for models that cannot chat. */
  readonly api: "chat" | "completions";
  /**
   * Everything else to send. For `completions` it holds `messages` too: a single user message whose text is the prompt,
   * and an adapter sends that text as `prompt`.
   */
  readonly body: ChatBody;
  readonly stream: boolean;
}

export interface StreamEvent {
  /** To be forwarded as it is; null for an event that only carries usage. */
  readonly chunk: ChatChunk | null;
  /** The provider's count, whenever it sends one: with or without choices, in any event. A later one replaces it. */
  readonly usage: TokenUsage | null;
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

/** One upstream API in one wire dialect. Knows no retries, no time limits and no prices: dispatch does. */
export interface Provider {
  /** As in settings, decisions and traces. */
  readonly id: string;
  /**
   * Resolves with the whole answer, or, for `stream`, as soon as the upstream accepted the request.
   *
   * @param signal aborting it closes the upstream connection at once; the promise, or the stream, then rejects with the
   * signal's reason
   * @throws ProviderFault for everything else that goes wrong
   */
  send(call: ProviderCall, options: { readonly signal: AbortSignal }): Promise<ProviderReply>;
  /** Lets go of idle connections. Calls under way are not waited for. */
  close(): Promise<void>;
}

/**
 * What went wrong with a call, in the words of traces and of `attempts`:
 *
 * - `connection_error`: no connection, or it broke before the answer began
 * - `cut_off`: it broke, or ended without a finish, after the answer began
 * - `timeout`: a time limit of ours passed
 * - `rate_limited` 429, `overloaded` 503 and 529, `server_error` other 5xx, 408 and 409, and error events in streams
 * - `invalid_reply`: success, but not what the dialect says: HTML, truncated JSON, an empty body, too large
 * - `credentials_refused` 401, 402 and 403, `model_not_found` 404, `context_length_exceeded`, `request_refused` other 4xx
 */
export type ProviderFaultCode =
  | "connection_error"
  | "cut_off"
  | "timeout"
  | "rate_limited"
  | "overloaded"
  | "server_error"
  | "invalid_reply"
  | "credentials_refused"
  | "model_not_found"
  | "context_length_exceeded"
  | "request_refused";

const RETRYABLE: ReadonlySet<ProviderFaultCode> = new Set([
  "connection_error",
  "cut_off",
  "timeout",
  "rate_limited",
  "overloaded",
  "server_error",
  "invalid_reply",
]);

export interface ProviderFaultDetails {
  /** HTTP status of the upstream's reply; null without one. */
  readonly status?: number | null;
  /** How long the upstream asks to wait: `Retry-After` in seconds or as a date, `retry-after-ms`. */
  readonly retryAfterMs?: number | null;
  /** The upstream's own error code and field, only when they are short identifiers: its messages may quote a prompt. */
  readonly upstreamCode?: string | null;
  readonly upstreamParam?: string | null;
  readonly cause?: unknown;
}

/** A call that failed. The message is safe to show: no upstream text, no key, no prompt. */
export class ProviderFault extends Error {
  override readonly name = "ProviderFault";
  readonly code: ProviderFaultCode;
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  readonly upstreamCode: string | null;
  readonly upstreamParam: string | null;

  constructor(code: ProviderFaultCode, message: string, details: ProviderFaultDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.status = details.status ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.upstreamCode = details.upstreamCode ?? null;
    this.upstreamParam = details.upstreamParam ?? null;
  }

  /** Whether another try, or another provider or model, may do better: API §2. */
  get retryable(): boolean {
    return RETRYABLE.has(this.code);
  }
}
