import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import type { CallOptions } from "../provider.js";
import type { EventStream } from "./event-stream.js";
import type { TextReply } from "./fault.js";

export interface UpstreamRequest {
  /** JSON; absent when there is nothing to send. */
  readonly body?: string;
  /** Default: POST. */
  readonly method?: "GET" | "POST" | "DELETE";
  /** In addition to those of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: CancelSignal;
  readonly seen?: CallOptions["seen"];
  /** What the reply holds, which decides how large it may be. Default: an answer. */
  readonly holds?: "embeddings";
}

/** What can be asked of a provider. */
export interface Posts {
  /**
   * Posts, or does what `method` says, and reads the whole reply.
   *
   * @param path appended to the base URL's, such as `/chat/completions`
   * @returns the reply, whose status is 2xx
   * @throws ProviderFault for every other status and for everything that goes wrong; the signal's reason once it is
   * aborted, which closes the connection at once
   */
  postJson(path: string, request: UpstreamRequest): Promise<TextReply>;
  /**
   * Posts and resolves as soon as a stream of events begins.
   *
   * @throws as `postJson`, and `invalid_reply` for a 2xx status without a stream, unless its body is a JSON error: then
   * that error's fault
   */
  postForEvents(path: string, request: UpstreamRequest): Promise<EventStream>;
}
