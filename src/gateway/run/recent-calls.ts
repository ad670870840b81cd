/** Number of calls kept: enough for a median, few enough to recover after an outage (guess). */
const REMEMBERED = 64;

/** The outcomes of the last calls, in a ring buffer: constant time for each call; the figures are computed when read. */
export class RecentCalls {
  /** Milliseconds to the first content; NaN for a call that failed. */
  readonly #firstContentMs = new Float64Array(REMEMBERED);
  #recorded = 0;
  #failures = 0;

  succeeded(firstContentMs: number): void {
    this.#record(firstContentMs);
  }

  failed(): void {
    this.#record(Number.NaN);
    this.#failures += 1;
  }

  /** 0 to 1; null before the first call. */
  get errorRate(): number | null {
    return this.#recorded === 0 ? null : this.#failures / this.#size;
  }

  /** Median of the calls that succeeded, the lower of two middle ones; null without any. */
  get medianFirstContentMs(): number | null {
    const times = this.#firstContentMs.subarray(0, this.#size).filter((time) => !Number.isNaN(time));
    return times.sort()[Math.floor((times.length - 1) / 2)] ?? null;
  }

  get #size(): number {
    return Math.min(this.#recorded, REMEMBERED);
  }

  #record(firstContentMs: number): void {
    const index = this.#recorded % REMEMBERED;
    const forgotten = this.#firstContentMs[index];
    if (this.#recorded >= REMEMBERED && Number.isNaN(forgotten)) this.#failures -= 1;
    this.#firstContentMs[index] = firstContentMs;
    this.#recorded += 1;
  }
}
