import type { Cancel, Clock, Timers } from "../../foundation/timers.js";

export interface TimeLimitDependencies {
  readonly clock: Clock;
  readonly timers: Timers;
  /** The end of everything: no limit reaches past it. */
  readonly endsAtMs: number;
}

/**
 * A limit that moves as work goes on, with one timer. Moving it later, as every piece of a stream does, costs an addition:
 * the timer is not touched, and starts itself anew for the rest when it runs too early.
 */
export class TimeLimit {
  #endsAtMs = Number.POSITIVE_INFINITY;
  #runsAtMs = Number.POSITIVE_INFINITY;
  #stopTimer: Cancel | null = null;

  constructor(
    private readonly onPassed: () => void,
    private readonly dependencies: TimeLimitDependencies,
  ) {}

  /** From now on, at most that long. */
  allow(milliseconds: number): void {
    const now = this.dependencies.clock();
    this.#endsAtMs = Math.min(now + milliseconds, this.dependencies.endsAtMs);
    if (this.#endsAtMs < this.#runsAtMs) this.#startTimer(now);
  }

  /** Nothing is waited for: only the end of everything counts. */
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
