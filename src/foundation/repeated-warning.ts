import type { Clock } from "./timers.js";

type Warn = (details: Readonly<Record<string, unknown>>, message: string) => void;

/** While a fault lasts, it is logged once in that time. */
const INTERVAL_MS = 60_000;

/**
 * A warning about something that is tried again and again: logged when it first fails, then once a minute while it goes on
 * failing, with how often it did.
 */
export class RepeatedWarning {
  readonly #message: string;
  readonly #warn: Warn;
  readonly #clock: Clock;
  #loggedMs = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  constructor(message: string, { warn, clock }: { readonly warn: Warn; readonly clock: Clock }) {
    this.#message = message;
    this.#warn = warn;
    this.#clock = clock;
  }

  failed(fault: unknown): void {
    const now = this.#clock();
    if (now - this.#loggedMs < INTERVAL_MS) {
      this.#unlogged += 1;
      return;
    }
    const repeated = this.#unlogged === 0 ? {} : { repeated: this.#unlogged };
    this.#warn({ fault: String(fault), ...repeated }, this.#message);
    this.#loggedMs = now;
    this.#unlogged = 0;
  }

  /** The next failure is a new one, and logged at once. */
  succeeded(): void {
    this.#loggedMs = Number.NEGATIVE_INFINITY;
    this.#unlogged = 0;
  }
}
