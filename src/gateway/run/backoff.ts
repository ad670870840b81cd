import type { CancelSignal } from "../../foundation/cancel-signal.js";
import type { Timers } from "../../foundation/timers.js";
import { cancellationOf } from "./cancellation.js";

/** Upper limit of the first wait, doubled in every round (guess: long enough for a dropped connection, short for a person). */
const BASE_MS = 250;

export interface BackoffOptions {
  readonly random: () => number;
  readonly longestMs: number;
}

/**
 * The wait before a retry: uniform between zero and a limit that doubles in every round ("full jitter"), so that
 * clients do not retry simultaneously.
 *
 * @param round 0 for the first wait
 */
export function backoffMs(round: number, { random, longestMs }: BackoffOptions): number {
  return random() * Math.min(longestMs, BASE_MS * 2 ** round);
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
