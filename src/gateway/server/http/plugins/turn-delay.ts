/** A queue that never became short for as long as the longest wait is cut to this share of it. */
const STANDING_SHARE = 0.2;

export interface TurnDelayOptions {
  /** Longest wait, in milliseconds, of a request in a burst. */
  readonly maxQueueMs: number;
  /** Monotonic milliseconds. */
  readonly clock: () => number;
  /** Calls back once everything that the system had ready for the server has been read. */
  readonly afterTurn: (callback: () => void) => void;
}

/**
 * How late requests are read. Whatever the system has ready for the server is read in one turn of the event loop, one request
 * after the other, and a decision is made before the next request is read: the time since the turn began is what the last
 * requests of a backlog have waited, at least, and no count of requests shows it.
 *
 * A burst may wait for `maxQueueMs`. When turns took longer than a fifth of it for all of that time, the queue is not a burst's
 * but stands, and requests wait a fifth of it at most: then the others are answered in time, at the same rate. This is the
 * controlled delay of "Fail at Scale" (Maurer, ACM Queue 2015), after CoDel (RFC 8289).
 */
export class TurnDelay {
  readonly #options: TurnDelayOptions;
  #turnStartedMs: number | undefined;
  #turnEndedMs = Number.NEGATIVE_INFINITY;
  /** Since when every turn was long and followed the one before at once. */
  #standsSinceMs: number | undefined;

  constructor(options: TurnDelayOptions) {
    this.#options = options;
  }

  /** Whether the request that is read now has waited for too long. About a microsecond a turn. */
  isTooLate(): boolean {
    const nowMs = this.#options.clock();
    const startedMs = this.#turnStartedMs ?? this.#startTurn(nowMs);
    return nowMs - startedMs > this.#limitMs(nowMs);
  }

  get #standingMs(): number {
    return STANDING_SHARE * this.#options.maxQueueMs;
  }

  #limitMs(nowMs: number): number {
    const { maxQueueMs } = this.#options;
    return nowMs - (this.#standsSinceMs ?? nowMs) > maxQueueMs ? this.#standingMs : maxQueueMs;
  }

  #startTurn(nowMs: number): number {
    if (nowMs - this.#turnEndedMs > this.#standingMs) this.#standsSinceMs = undefined;
    this.#turnStartedMs = nowMs;
    this.#options.afterTurn(() => this.#endTurn(nowMs));
    return nowMs;
  }

  #endTurn(startedMs: number): void {
    this.#turnStartedMs = undefined;
    this.#turnEndedMs = this.#options.clock();
    if (this.#turnEndedMs - startedMs <= this.#standingMs) this.#standsSinceMs = undefined;
    else this.#standsSinceMs ??= startedMs;
  }
}
