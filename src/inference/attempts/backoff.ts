import type { Timers } from "../../foundation/timers.js";
import { cancellationOf } from "./cancellation.js";

/** First wait at most, doubled with every round (guess: long enough for a dropped connection, short for a person). */
const BASE_MS = 250;

export interface BackoffOptions {
  readonly random: () => number;
  readonly longestMs: number;
}

/**
 * How long to wait before trying again: anything from nothing to a limit that doubles with every round ("full jitter"),
 * because clients that wait equally long come back together.
 *
 * @param round 0 for the first wait
 */
export function backoffMs(round: number, { random, longestMs }: BackoffOptions): number {
  return random() * Math.min(longestMs, BASE_MS * 2 ** round);
}

export interface WaitOptions {
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

/** @throws Cancellation in the same tick in which the signal aborts */
export function wait(milliseconds: number, { timers, signal }: WaitOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      stopTimer();
      reject(cancellationOf(signal));
    };
    const stopTimer = timers.after(milliseconds, () => {
      signal.removeEventListener("abort", leave);
      resolve();
    });
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
  });
}
