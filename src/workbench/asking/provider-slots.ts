import type { Clock } from "../../foundation/timers.js";

/** First wait after a refusal without `Retry-After`, doubled with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A longer wait that a provider asks for, such as the hours until a daily limit is reset, is not waited for. */
const LONGEST_REQUESTED_PAUSE_MS = 15 * 60_000;
/** Pauses in a row, without an answer between them, after which a provider is given up: about a quarter of an hour. */
const MOST_PAUSES = 20;
/** The same for calls that failed otherwise. */
const MOST_FAILURES = 20;

export interface SlotOptions {
  /** Most calls in flight. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
}

/**
 * How many calls of one provider may be in flight, and when. A provider that asks for fewer requests gets half as many at a time,
 * after a pause; then one more for each full round of answers.
 */
export class ProviderSlots {
  readonly #options: SlotOptions;
  #limit: number;
  #inFlight = 0;
  #answersSinceRaise = 0;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #lastPauseMs = Number.NEGATIVE_INFINITY;
  #pauses = 0;
  #failures = 0;
  #gaveUp: string | undefined;

  constructor(options: SlotOptions) {
    this.#options = options;
    this.#limit = options.concurrency;
  }

  /** Why nothing is asked here any more; undefined while something is. */
  get gaveUp(): string | undefined {
    return this.#gaveUp;
  }

  /** Earliest time of the next call by the clock; infinity while all places are taken or after it was given up. */
  get nextCallMs(): number {
    if (this.#gaveUp !== undefined || this.#inFlight >= this.#limit) return Number.POSITIVE_INFINITY;
    return this.#pausedUntilMs;
  }

  /** Takes a place for a call. @returns when it began, for `paused` */
  begin(): number {
    this.#inFlight += 1;
    return this.#options.clock();
  }

  end(): void {
    this.#inFlight -= 1;
  }

  answered(): void {
    this.#pauses = 0;
    this.#failures = 0;
    this.#answersSinceRaise += 1;
    if (this.#answersSinceRaise < this.#limit || this.#limit >= this.#options.concurrency) return;
    this.#limit += 1;
    this.#answersSinceRaise = 0;
  }

  /**
   * The provider asked for fewer requests. Only the first of the calls that were in flight at the same time halves their number,
   * and all prolong the pause.
   */
  refused(
    reason: string,
    { startedMs, retryAfterMs }: { readonly startedMs: number; readonly retryAfterMs: number | null },
  ): void {
    const { clock, random } = this.#options;
    const now = clock();
    if ((retryAfterMs ?? 0) > LONGEST_REQUESTED_PAUSE_MS) {
      this.giveUp(`${reason}; it asks to wait ${Math.ceil((retryAfterMs ?? 0) / 60_000)} minutes`);
      return;
    }
    if (startedMs > this.#lastPauseMs) {
      this.#lastPauseMs = now;
      this.#pauses += 1;
      this.#limit = Math.max(1, Math.floor(this.#limit / 2));
      this.#answersSinceRaise = 0;
      const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (this.#pauses - 1));
      // A provider that says how long is taken at its word, until it refuses again.
      if (retryAfterMs === null || this.#pauses > 1) this.#pauseUntil(now + longest * (0.5 + random() / 2));
    }
    if (retryAfterMs !== null) this.#pauseUntil(now + retryAfterMs);
    if (this.#pauses > MOST_PAUSES) this.giveUp(`${reason}, ${MOST_PAUSES} times in a row`);
  }

  /** A call failed otherwise than by a refusal of its question. */
  failed(reason: string): void {
    this.#failures += 1;
    if (this.#failures >= MOST_FAILURES) this.giveUp(`${reason}, ${MOST_FAILURES} times in a row`);
  }

  giveUp(reason: string): void {
    this.#gaveUp ??= reason;
  }

  #pauseUntil(timeMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, timeMs);
  }
}
