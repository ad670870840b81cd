export const CIRCUIT_STATES = ["closed", "open", "half_open"] as const;
export type CircuitState = (typeof CIRCUIT_STATES)[number];

export interface CircuitOptions {
  /** Failures in a row that open the circuit. */
  readonly failures: number;
  /** How long it then stays open before one call may try. */
  readonly cooldownMs: number;
}

/** Leave to make one call. Give it back by exactly one of `succeeded`, `failed` and `released`. */
export interface Pass {
  /** Whether this call is the one that tries a circuit that was open. */
  readonly probe: boolean;
  /** Times the circuit had changed when the call began: what older calls report says nothing of a newer state. */
  readonly generation: number;
}

/**
 * Keeps calls from something that fails: closed → open after failures in a row → half-open after the cooldown, when one
 * call at a time may try → closed once that one brings content, or open again. Constant time; the clock's milliseconds
 * come with every question.
 */
export class CircuitBreaker {
  #failuresInARow = 0;
  /** End of the cooldown; null while closed. */
  #openUntilMs: number | null = null;
  #probe: Pass | null = null;
  #generation = 0;

  constructor(private readonly options: CircuitOptions) {}

  state(nowMs: number): CircuitState {
    if (this.#openUntilMs === null) return "closed";
    return nowMs < this.#openUntilMs ? "open" : "half_open";
  }

  /** When a call may try again; null while closed. */
  get openUntilMs(): number | null {
    return this.#openUntilMs;
  }

  /**
   * Half-open for a whole cooldown without a call. Where other ways are preferred to a half-open one, this is
   * when it should get a turn, or it would never be found well again.
   */
  isDue(nowMs: number): boolean {
    if (this.#openUntilMs === null || this.#probe !== null) return false;
    return nowMs >= this.#openUntilMs + this.options.cooldownMs;
  }

  /** Null: not now. */
  enter(nowMs: number): Pass | null {
    const state = this.state(nowMs);
    if (state === "open" || (state === "half_open" && this.#probe !== null)) return null;
    const pass: Pass = { probe: state === "half_open", generation: this.#generation };
    if (pass.probe) this.#probe = pass;
    return pass;
  }

  /**
   * A probe has brought content and may go on for minutes: the circuit closes now, on probation. A single failure before
   * the next success opens it again.
   *
   * @returns the pass to go on with, and whether the circuit closed
   */
  answered(pass: Pass): { readonly pass: Pass; readonly closed: boolean } {
    if (pass !== this.#probe) return { pass, closed: false };
    this.#close();
    this.#failuresInARow = this.options.failures - 1;
    return { pass: { probe: false, generation: this.#generation }, closed: true };
  }

  /** @returns whether the circuit closed */
  succeeded(pass: Pass): boolean {
    if (pass === this.#probe) {
      this.#close();
      return true;
    }
    if (pass.generation === this.#generation) this.#failuresInARow = 0;
    return false;
  }

  /** @returns whether a closed circuit opened */
  failed(pass: Pass, nowMs: number): boolean {
    if (pass === this.#probe) {
      this.#open(nowMs);
      return false;
    }
    if (pass.generation !== this.#generation || this.#openUntilMs !== null) return false;
    this.#failuresInARow += 1;
    if (this.#failuresInARow < this.options.failures) return false;
    this.#open(nowMs);
    return true;
  }

  /** The call ended without telling anything of the provider: the client left, or the request was refused. */
  released(pass: Pass): void {
    if (pass === this.#probe) this.#probe = null;
  }

  #open(nowMs: number): void {
    this.#openUntilMs = nowMs + this.options.cooldownMs;
    this.#probe = null;
    this.#generation += 1;
  }

  #close(): void {
    this.#openUntilMs = null;
    this.#failuresInARow = 0;
    this.#probe = null;
    this.#generation += 1;
  }
}
