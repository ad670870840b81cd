/** A limit by the minute that refills steadily, as Anthropic's and OpenAI's do; a full one lets a whole minute's worth through at once. */
export class TokenBucket {
  #left: number;
  #atMs = Number.NEGATIVE_INFINITY;

  /** @param perMinute > 0 */
  constructor(private readonly perMinute: number) {
    this.#left = perMinute;
  }

  /** Milliseconds until so many may be taken; 0: now. What is more than a minute's worth may be taken once it is full. */
  waitMs(count: number, nowMs: number): number {
    const missing = Math.min(count, this.perMinute) - this.#leftAt(nowMs);
    return missing <= 0 ? 0 : Math.ceil((missing * MINUTE_MS) / this.perMinute);
  }

  take(count: number, nowMs: number): void {
    this.#left = this.#leftAt(nowMs) - count;
    this.#atMs = nowMs;
  }

  #leftAt(nowMs: number): number {
    if (this.#atMs === Number.NEGATIVE_INFINITY) return this.perMinute;
    return Math.min(this.perMinute, this.#left + ((nowMs - this.#atMs) * this.perMinute) / MINUTE_MS);
  }
}

const MINUTE_MS = 60_000;
