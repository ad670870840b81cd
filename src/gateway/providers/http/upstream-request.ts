import type { CancelSignal } from "../../../foundation/cancel-signal.js";
import type { CallOptions } from "../provider.js";
import type { Reply, ReplyOptions, Settle } from "./reply.js";

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

/** Sends a request below the base URL, whose reply becomes what its kind makes of it. */
export type Post = <Result>(
  Kind: new (options: ReplyOptions, settle: Settle<Result>) => Reply<Result>,
  sent: { readonly path: string; readonly request: UpstreamRequest },
) => Promise<Result>;
