import { SextantError } from "../../../foundation/errors.js";
import { ClientDisconnected } from "./client-disconnected.js";

/** Why a request ends before its answer does: its client disconnected, or this process ends it, and says why. */
export type Cancellation = ClientDisconnected | SextantError;

/** @param signal aborted; with a SextantError as its reason when it was not the client */
export const cancellationOf = ({ reason }: AbortSignal): Cancellation =>
  reason instanceof SextantError ? reason : new ClientDisconnected();

export const isCancellation = (reason: unknown): reason is Cancellation =>
  reason instanceof ClientDisconnected || reason instanceof SextantError;
