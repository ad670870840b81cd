/** What a thread and its client say to each other. */
import type { SentError } from "./rpc-error.js";

/** Methods by name, each with one parameter at most. Parameters and results are plain data that structured cloning copies. */
export type RpcApi = Readonly<Record<string, (parameters: never) => unknown>>;

/** Implements an API. */
export type RpcHandlers<Api extends RpcApi> = {
  readonly [Name in keyof Api]: (
    parameters: Parameters<Api[Name]>[0],
    call: ReceivedCall,
  ) => Reply<ReturnType<Api[Name]>> | Promise<Reply<ReturnType<Api[Name]>>>;
};

/**
 * The signal aborts when the caller has aborted its call, or the thread is closing. Node makes it when it is first read: most
 * methods do not need it, and it takes a fifth of the time of a short call.
 */
export type ReceivedCall = Pick<AbortController, "signal">;

type Reply<Result> = Result | Transferred<Result>;

/** A result whose buffers move to the caller instead of being copied: they are empty here afterwards. */
export class Transferred<Result> {
  constructor(
    readonly value: Result,
    readonly buffers: readonly ArrayBuffer[],
  ) {}
}

export interface Call {
  readonly kind: "call";
  readonly id: number;
  readonly name: string;
  readonly parameters: unknown;
}

export interface Notification {
  readonly kind: "notification";
  readonly name: string;
  readonly parameters: unknown;
}

export type ToThread =
  | Call
  | Notification
  /** The caller has aborted the call: no reply is expected. */
  | { readonly kind: "abort"; readonly id: number }
  /** Abort what runs, for this reason, finish and end. */
  | { readonly kind: "close"; readonly reason: string };

export type FromThread =
  | { readonly kind: "result"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly error: SentError }
  /** The thread could not be opened, and ends. */
  | { readonly kind: "unusable"; readonly error: SentError };
