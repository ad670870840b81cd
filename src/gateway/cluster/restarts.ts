/** Waits before a process that ended is started again: the first, and the longest. */
const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** A process that ran that long did not end because of how it starts. */
const SETTLED_MS = 30_000;

/** How long to wait before a process that ends again and again is started anew. */
export class RestartPace {
  #waitMs = FIRST_MS;

  /** @param ranMs how long it ran, in milliseconds */
  waitAfter(ranMs: number): number {
    if (ranMs >= SETTLED_MS) this.#waitMs = FIRST_MS;
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(waitMs * 2, LONGEST_MS);
    return waitMs;
  }
}
