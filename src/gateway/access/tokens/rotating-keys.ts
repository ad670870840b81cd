/** Lifetimes and load intervals of rotating keys. Milliseconds. */
export interface RotationTimes {
  /** Age from which loaded keys are refreshed in the background. */
  readonly freshMs: number;
  /** Age without a successful load from which keys are no longer used. */
  readonly usableMs: number;
  /** Minimum time from the end of a successful load to the next load. */
  readonly cooldownMs: number;
  /** Minimum time from the end of a failed load to the next load. */
  readonly retryMs: number;
  /** Time limit of a load. */
  readonly timeoutMs: number;
}

export interface RotatingKeysOptions<Keys> {
  readonly load: (signal: AbortSignal) => Promise<string>;
  /** @throws when the text holds no keys; the load then counts as failed */
  readonly parse: (text: string) => Keys;
  readonly times: RotationTimes;
  /** Monotonic time in milliseconds, of any origin. */
  readonly monotonicNow: () => number;
  /** Called with the first failure after a success, or with every failure. */
  readonly onFault: (fault: unknown) => void;
}

interface Loaded<Keys> {
  readonly keys: Keys;
  readonly text: string;
  readonly atMs: number;
}

/**
 * Keys that are loaded from elsewhere and change over time.
 *
 * There is at most one load at a time, with a pause after each, so that the number of requests does not affect the
 * number of loads. Loaded keys remain valid while later loads fail, for up to `usableMs`. Two loads of the same text
 * return the same object: its identity changes only when the keys do.
 */
export class RotatingKeys<Keys extends object> {
  readonly #options: RotatingKeysOptions<Keys>;
  #loaded: Loaded<Keys> | undefined;
  #loading: Promise<void> | undefined;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  /** Whether the last load failed. */
  failing = false;

  constructor(options: RotatingKeysOptions<Keys>) {
    this.#options = options;
  }

  /** The keys, if any may be used. Never waits; keys that are no longer fresh are refreshed in the background. */
  current(): Keys | undefined {
    const loaded = this.#loaded;
    const { times, monotonicNow } = this.#options;
    const ageMs = loaded === undefined ? Number.POSITIVE_INFINITY : monotonicNow() - loaded.atMs;
    if (ageMs >= times.freshMs) void this.renew();
    return ageMs < times.usableMs ? loaded?.keys : undefined;
  }

  /** Loads the keys unless a pause applies; waits for a load in progress. Never rejects: see `current` and `failing`. */
  renew(): Promise<void> {
    if (this.#loading !== undefined) return this.#loading;
    if (this.#options.monotonicNow() < this.#pausedUntilMs) return Promise.resolve();
    this.#loading = this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { load, parse, times, monotonicNow, onFault } = this.#options;
    try {
      const text = await load(AbortSignal.timeout(times.timeoutMs));
      const keys = text === this.#loaded?.text ? this.#loaded.keys : parse(text);
      this.#loaded = { keys, text, atMs: monotonicNow() };
      this.failing = false;
      this.#pausedUntilMs = monotonicNow() + times.cooldownMs;
    } catch (fault) {
      if (!this.failing) onFault(fault);
      this.failing = true;
      this.#pausedUntilMs = monotonicNow() + times.retryMs;
    }
  }
}
