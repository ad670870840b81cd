/** How long loaded keys count, and how often they are looked for. Milliseconds. */
export interface RotationTimes {
  /** After that, loaded keys are looked up again in the background. */
  readonly freshMs: number;
  /** After that without a successful load, keys are not used any more. */
  readonly usableMs: number;
  /** Least time from the end of a successful load to the next one. */
  readonly cooldownMs: number;
  /** Least time from the end of a failed load to the next one. */
  readonly retryMs: number;
  /** Longest load. */
  readonly timeoutMs: number;
}

export interface RotatingKeysOptions<Keys> {
  readonly load: (signal: AbortSignal) => Promise<string>;
  /** @throws when the text holds no keys; the load then counts as failed */
  readonly parse: (text: string) => Keys;
  readonly times: RotationTimes;
  /** Milliseconds, of any origin, that never run backwards. */
  readonly monotonicNow: () => number;
  /** Told of the first failed load after a successful one, or of all. */
  readonly onFault: (fault: unknown) => void;
}

interface Loaded<Keys> {
  readonly keys: Keys;
  readonly text: string;
  readonly atMs: number;
}

/**
 * Keys that live elsewhere and change now and then.
 *
 * There is at most one load at a time, and a pause after each, so that no number of requests becomes a flood of loads.
 * Keys that were loaded go on working while later loads fail, for as long as `usableMs`. Two loads of the same text give
 * the same object, so that its identity changes only when the keys do.
 */
export class RotatingKeys<Keys extends object> {
  readonly #options: RotatingKeysOptions<Keys>;
  #loaded: Loaded<Keys> | undefined;
  #loading: Promise<void> | undefined;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #failing = false;

  constructor(options: RotatingKeysOptions<Keys>) {
    this.#options = options;
  }

  /** Whether the last load failed. */
  get failing(): boolean {
    return this.#failing;
  }

  /** The keys, if there are any that may be used. Never waits; what is no longer fresh is renewed in the background. */
  current(): Keys | undefined {
    const loaded = this.#loaded;
    const { times, monotonicNow } = this.#options;
    const ageMs = loaded === undefined ? Number.POSITIVE_INFINITY : monotonicNow() - loaded.atMs;
    if (ageMs >= times.freshMs) void this.renew();
    return ageMs < times.usableMs ? loaded?.keys : undefined;
  }

  /** Loads unless that is paused; waits for a load that is under way. Never rejects: see `current` and `failing`. */
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
      this.#failing = false;
      this.#pausedUntilMs = monotonicNow() + times.cooldownMs;
    } catch (fault) {
      if (!this.#failing) onFault(fault);
      this.#failing = true;
      this.#pausedUntilMs = monotonicNow() + times.retryMs;
    }
  }
}
