export const CIRCUIT_STATES = ["closed", "open", "half_open"] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

export interface CircuitOptions {
  /** Consecutive failures that open the circuit. */
  readonly failures: number;
  /** Milliseconds for which it stays open before one call may probe it. */
  readonly cooldownMs: number;
  /** Most simultaneous calls while it is not closed, for requests that nothing else can serve. At least 1. */
  readonly probes: number;
}

/** Permission for one call. End it with exactly one of `succeeded`, `failed` and `released`. */
export interface Pass {
  /** Number of state changes when the call began; results of calls from an earlier state are ignored. */
  readonly generation: number;
}

/**
 * Prevents calls to a failing service: closed → open after consecutive failures → half-open after the cooldown, when
 * one call at a time may probe it → closed once that one has content, or open again. A request that has no alternative
 * probes it at any time, with at most `probes` calls at once, so that a service that hangs holds few of them and one that
 * has recovered is found out by the first. Constant time; the caller passes the clock's milliseconds.
 */
export class CircuitBreaker {
  #failuresInARow = 0;
  /** End of the cooldown, when a call may try again; null while closed. */
  openUntilMs: number | null = null;
  readonly #probes = new Set<Pass>();
  #generation = 0;

  constructor(private readonly options: CircuitOptions) {}

  state(nowMs: number): CircuitState {
    if (this.openUntilMs === null) return "closed";
    return nowMs < this.openUntilMs ? "open" : "half_open";
  }

  /**
   * Whether it was half-open for a whole cooldown without a call. A caller that prefers closed circuits must then probe
   * it, or it would never close.
   */
  isDue(nowMs: number): boolean {
    if (this.openUntilMs === null || this.#probes.size > 0) return false;
    return nowMs >= this.openUntilMs + this.options.cooldownMs;
  }

  /** Null when no call is allowed now. */
  enter(nowMs: number): Pass | null {
    const state = this.state(nowMs);
    if (state === "closed") return { generation: this.#generation };
    return state === "half_open" && this.#probes.size === 0 ? this.#probe() : null;
  }

  /** `enter` for a request that nothing else can serve. */
  enterWithoutAlternative(nowMs: number): Pass | null {
    return this.enter(nowMs) ?? (this.#probes.size < this.options.probes ? this.#probe() : null);
  }

  #probe(): Pass {
    const pass: Pass = { generation: this.#generation };
    this.#probes.add(pass);
    return pass;
  }

  /**
   * A probe has received content and may continue for minutes: the circuit closes now, on probation. One failure before
   * the next success opens it again.
   *
   * @returns the pass to continue with, and whether the circuit closed
   */
  answered(pass: Pass): { readonly pass: Pass; readonly closed: boolean } {
    if (!this.#probes.has(pass)) return { pass, closed: false };
    this.#close();
    this.#failuresInARow = this.options.failures - 1;
    return { pass: { generation: this.#generation }, closed: true };
  }

  /** @returns whether the circuit closed */
  succeeded(pass: Pass): boolean {
    if (this.#probes.has(pass)) {
      this.#close();
      return true;
    }
    if (pass.generation === this.#generation) this.#failuresInARow = 0;
    return false;
  }

  /** @returns whether a closed circuit opened */
  failed(pass: Pass, nowMs: number): boolean {
    if (this.#probes.delete(pass)) {
      this.#open(nowMs);
      return false;
    }
    if (pass.generation !== this.#generation || this.openUntilMs !== null) return false;
    this.#failuresInARow += 1;
    if (this.#failuresInARow < this.options.failures) return false;
    this.#open(nowMs);
    return true;
  }

  /** Opens at once, or stays open for longer: further calls are in vain until then. @returns whether it was closed */
  rest(untilMs: number): boolean {
    const wasClosed = this.openUntilMs === null;
    this.openUntilMs = Math.max(untilMs, this.openUntilMs ?? untilMs);
    if (wasClosed) this.#generation += 1;
    return wasClosed;
  }

  /** The call ended without evidence about the provider: the client disconnected, or the request was refused. */
  released(pass: Pass): void {
    this.#probes.delete(pass);
  }

  #open(nowMs: number): void {
    this.openUntilMs = nowMs + this.options.cooldownMs;
    this.#generation += 1;
  }

  #close(): void {
    this.openUntilMs = null;
    this.#failuresInARow = 0;
    this.#probes.clear();
    this.#generation += 1;
  }
}
