import { CancelController, type CancelSignal } from "../../foundation/cancel-signal.js";
import type { Cancel, Clock, Timers } from "../../foundation/timers.js";
import type { TakenKey } from "../providers/keys/key-pool.js";
import { ProviderFault } from "../providers/provider.js";
import type { HostChoice } from "../traces/trace.js";
import type { AppliedLimits, TimeAllowed } from "./call-limits.js";
import { type Cancellation, cancellationOf } from "./cancellation.js";

export interface CallLimits {
  readonly clock: Clock;
  readonly timers: Timers;
  /** End of the whole request, by the same clock. */
  readonly deadlineMs: number;
  /** Aborted when the client goes away, which it has not yet, or when this process ends the request. */
  readonly clientSignal: CancelSignal;
  /** For the provider's address, in addition to those that it always gets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Of several keys of the provider; null or absent when it has one or none. */
  readonly key?: TakenKey | null;
  /** Why its deployment was called first; absent where there was no choice. */
  readonly host?: HostChoice | undefined;
  readonly limits: AppliedLimits;
}

export type CancelReason = ProviderFault | Cancellation;

/**
 * Cancels an upstream call: by a time limit, the request's deadline, or the client's disconnection, each of which
 * aborts `signal` in the same tick. Call `end` when the call is over to release its timer and listener.
 *
 * The limit has one timer. Moving it later, as every chunk of a stream does, does not touch the timer, which restarts itself
 * for the remaining time when it fires early.
 */
export class UpstreamCall {
  readonly startedMs: number;
  readonly signal = new CancelController();
  /** End of the whole call, which no limit exceeds. */
  readonly #latestMs: number;
  #endsAtMs = Number.POSITIVE_INFINITY;
  #runsAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: Cancel | null = null;
  #awaited = "";
  #allowed: TimeAllowed | null = null;
  #ended = false;
  #onCancel: ((reason: CancelReason) => void) | null = null;

  constructor(
    private readonly provider: string,
    readonly limits: CallLimits,
  ) {
    const { clock, deadlineMs, clientSignal } = limits;
    const { total } = limits.limits;
    this.startedMs = clock();
    this.#latestMs = total === undefined ? deadlineMs : Math.min(deadlineMs, this.startedMs + total.ms);
    clientSignal.addEventListener("abort", this.#clientGone);
  }

  get elapsedMs(): number {
    return this.limits.clock() - this.startedMs;
  }

  /** Why the call was cancelled; undefined if it was not. */
  get cancelled(): CancelReason | undefined {
    return this.signal.aborted ? (this.signal.reason as CancelReason) : undefined;
  }

  /**
   * Sets a limit for what is awaited from now on, with its description for messages.
   *
   * @param sinceMs by the clock, from when the limit counts; default now
   */
  allow(limit: TimeAllowed, awaited: string, sinceMs?: number): void {
    this.#awaited = awaited;
    this.#allowed = limit;
    const nowMs = this.limits.clock();
    this.#endsAtMs = Math.min((sinceMs ?? nowMs) + limit.ms, this.#latestMs);
    if (this.#endsAtMs < this.#runsAtMs) this.#startTimer(nowMs);
  }

  /** Suspends the limit while the upstream is not awaited; only the deadline applies. */
  pause(): void {
    this.#endsAtMs = this.#latestMs;
  }

  /** Sets the listener of a cancellation: called in the same tick, or at once if it has already happened. */
  onCancel(listener: (reason: CancelReason) => void): void {
    this.#onCancel = listener;
    if (this.cancelled !== undefined) listener(this.cancelled);
  }

  cancel(reason: CancelReason): void {
    if (this.#ended) return;
    this.end();
    this.signal.abort(reason);
    this.#onCancel?.(reason);
  }

  /** Ends the call, however it went, and discards its connection. */
  drop(): void {
    this.end();
    this.signal.abort(this.cancelled);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stopTimer?.();
    this.limits.clientSignal.removeEventListener("abort", this.#clientGone);
  }

  #startTimer(nowMs: number): void {
    this.#stopTimer?.();
    this.#runsAtMs = this.#endsAtMs;
    this.#stopTimer = this.limits.timers.after(
      Math.max(1, Math.round(this.#endsAtMs - nowMs)),
      this.#timerRan,
    );
  }

  readonly #timerRan = (): void => {
    const nowMs = this.limits.clock();
    if (nowMs >= this.#endsAtMs) this.cancel(this.#timeout());
    else this.#startTimer(nowMs);
  };

  readonly #clientGone = (): void => this.cancel(cancellationOf(this.limits.clientSignal));

  #timeout(): ProviderFault {
    const { clock, deadlineMs, limits } = this.limits;
    const { total } = limits;
    if (clock() >= deadlineMs) {
      const limit = "upstream_total_timeout_ms";
      return new ProviderFault("timeout", "The time limit of the request was reached.", { limit });
    }
    if (total !== undefined && this.elapsedMs >= total.ms) {
      const message = `The call of ${this.provider} took longer than ${total.ms} ms.`;
      return new ProviderFault("timeout", message, { limit: total.name });
    }
    const { ms, name: limit } = this.#allowed ?? { ms: 0, name: null };
    const message = `${this.provider} sent no ${this.#awaited} within ${ms} ms.`;
    return new ProviderFault("timeout", message, { limit });
  }
}
