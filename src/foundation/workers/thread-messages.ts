/** What a thread and its client say to each other. */
import type { RpcMessage } from "./rpc-channel.js";
import type { SentError } from "./rpc-error.js";

export type ToThread =
  | RpcMessage
  /** Abort what runs, for this reason, finish and end. */
  | { readonly kind: "close"; readonly reason: string };

export type FromThread =
  | RpcMessage
  /** The thread could not be opened, and ends. */
  | { readonly kind: "unusable"; readonly error: SentError };
