import type { Clock, Timers } from "../../foundation/timers.js";
import { ProviderFault } from "../../providers/provider.js";
import { type Cancellation, cancellationOf } from "./cancellation.js";
import { TimeLimit } from "./time-limit.js";

export interface CallLimits {
  readonly clock: Clock;
  readonly timers: Timers;
  /** When the whole request has to be over, by the same clock. */
  readonly deadlineMs: number;
  /** Aborted when the client goes away, which it has not yet, or when this process ends the request. */
  readonly clientSignal: AbortSignal;
}

export type CancelReason = ProviderFault | Cancellation;

/**
 * What can end an upstream call from our side: a time limit, the deadline of the request, the client going away. Each of
 * them aborts `signal` in the same tick. `end` it when the call is over, or its timer and listener stay behind.
 */
export class UpstreamCall {
  readonly startedMs: number;
  readonly #abort = new AbortController();
  readonly #limit: TimeLimit;
  #awaited = "";
  #allowedMs = 0;
  #ended = false;
  #onCancel: ((reason: CancelReason) => void) | null = null;

  constructor(
    private readonly provider: string,
    private readonly limits: CallLimits,
  ) {
    const { clock, timers, deadlineMs, clientSignal } = limits;
    this.startedMs = clock();
    this.#limit = new TimeLimit(() => this.cancel(this.#timeout()), { clock, timers, endsAtMs: deadlineMs });
    clientSignal.addEventListener("abort", this.#clientGone);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Why the call was cancelled; undefined if it was not. */
  get cancelled(): CancelReason | undefined {
    return this.signal.aborted ? this.signal.reason : undefined;
  }

  /** What is waited for from now on, in the words of a message, and for how long at most. */
  allow(milliseconds: number, awaited: string): void {
    this.#awaited = awaited;
    this.#allowedMs = milliseconds;
    this.#limit.allow(milliseconds);
  }

  /** The upstream is not waited for: only the deadline counts. */
  pause(): void {
    this.#limit.pause();
  }

  /** Sets the listener of a cancellation: called in the same tick, or at once if it has already happened. */
  onCancel(listener: (reason: CancelReason) => void): void {
    this.#onCancel = listener;
    if (this.cancelled !== undefined) listener(this.cancelled);
  }

  cancel(reason: CancelReason): void {
    if (this.#ended) return;
    this.end();
    this.#abort.abort(reason);
    this.#onCancel?.(reason);
  }

  /** The call is over, however it went, and nothing more is wanted of its connection. */
  drop(): void {
    this.end();
    this.#abort.abort(this.cancelled);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#limit.stop();
    this.limits.clientSignal.removeEventListener("abort", this.#clientGone);
  }

  readonly #clientGone = (): void => this.cancel(cancellationOf(this.limits.clientSignal));

  #timeout(): ProviderFault {
    const { clock, deadlineMs } = this.limits;
    return new ProviderFault(
      "timeout",
      clock() >= deadlineMs
        ? "The time for the whole request was up."
        : `${this.provider} sent no ${this.#awaited} within ${this.#allowedMs} ms.`,
    );
  }
}
