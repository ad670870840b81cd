import type { Clock, Timers } from "../../../foundation/timers.js";
import { ProviderFault } from "../../providers/provider.js";
import { type Cancellation, cancellationOf } from "./cancellation.js";
import { TimeLimit } from "./time-limit.js";

export interface CallLimits {
  readonly clock: Clock;
  readonly timers: Timers;
  /** End of the whole request, by the same clock. */
  readonly deadlineMs: number;
  /** Aborted when the client goes away, which it has not yet, or when this process ends the request. */
  readonly clientSignal: AbortSignal;
  /** For the provider's address, in addition to those that it always gets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export type CancelReason = ProviderFault | Cancellation;

/**
 * Cancels an upstream call: by a time limit, the request's deadline, or the client's disconnection, each of which
 * aborts `signal` in the same tick. Call `end` when the call is over to release its timer and listener.
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

  /** Sets a limit for what is awaited from now on, with its description for messages. */
  allow(milliseconds: number, awaited: string): void {
    this.#awaited = awaited;
    this.#allowedMs = milliseconds;
    this.#limit.allow(milliseconds);
  }

  /** Suspends the limit while the upstream is not awaited; only the deadline applies. */
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

  /** Ends the call, however it went, and discards its connection. */
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
