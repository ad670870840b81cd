import type { Cancel, Clock, Timers } from "../../../foundation/timers.js";

export interface TimeLimitDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** The total limit, which no other limit exceeds. */
  readonly endsAtMs: number;
}

/**
 * A movable limit with one timer. Moving it later, as every chunk of a stream does, does not touch the timer, which
 * restarts itself for the remaining time when it fires early.
 */
export class TimeLimit {
  #endsAtMs = Number.POSITIVE_INFINITY;
  #runsAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: Cancel | null = null;

  constructor(
    private readonly onPassed: () => void,
    private readonly dependencies: TimeLimitDependencies,
  ) {}

  /** Allows at most this long from now. */
  allow(milliseconds: number): void {
    const now = this.dependencies.clock();
    this.#endsAtMs = Math.min(now + milliseconds, this.dependencies.endsAtMs);
    if (this.#endsAtMs < this.#runsAtMs) this.#startTimer(now);
  }

  /** Suspends the limit; only the total limit applies. */
  pause(): void {
    this.#endsAtMs = this.dependencies.endsAtMs;
  }

  stop(): void {
    this.#stopTimer?.();
    this.#stopTimer = null;
  }

  #startTimer(now: number): void {
    this.stop();
    this.#runsAtMs = this.#endsAtMs;
    this.#stopTimer = this.dependencies.timers.after(
      Math.max(1, Math.round(this.#endsAtMs - now)),
      this.#ran,
    );
  }

  readonly #ran = (): void => {
    const now = this.dependencies.clock();
    if (now >= this.#endsAtMs) this.onPassed();
    else this.#startTimer(now);
  };
}
