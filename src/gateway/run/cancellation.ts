import type { CancelSignal } from "../../foundation/cancel-signal.js";
import { SextantError } from "../../foundation/errors.js";
import type { Timers } from "../../foundation/timers.js";

/** Why a request ends before its answer does: its client disconnected, or this process ends it, and says why. */
export type Cancellation = ClientDisconnected | SextantError;

/** @param signal aborted; with a SextantError as its reason when it was not the client */
export const cancellationOf = ({ reason }: CancelSignal): Cancellation =>
  reason instanceof SextantError ? reason : new ClientDisconnected();

export const isCancellation = (reason: unknown): reason is Cancellation =>
  reason instanceof ClientDisconnected || reason instanceof SextantError;

/** The client disconnected before its answer was complete. No reply can be sent, so it has no error code of API §1. */
export class ClientDisconnected extends Error {
  override readonly name = "ClientDisconnected";
  /** As attempts and traces show it. */
  readonly code = "client_disconnected";

  constructor() {
    super("The client disconnected before the answer was complete.");
  }
}

export interface WaitOptions {
  readonly timers: Timers;
  readonly signal: CancelSignal;
  /** Called with what ends the wait earlier. @returns what stops listening */
  readonly sooner?: (wake: () => void) => () => void;
}

/** @throws Cancellation in the same tick in which the signal aborts */
export function wait(milliseconds: number, { timers, signal, sooner }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      stopTimer();
      stopListening?.();
      signal.removeEventListener("abort", leave);
    };
    const leave = (): void => {
      stop();
      reject(cancellationOf(signal));
    };
    const done = (): void => {
      stop();
      resolve();
    };
    const stopTimer = timers.after(milliseconds, done);
    const stopListening = sooner?.(done);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
}
