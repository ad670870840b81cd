import { SextantError } from "../../../foundation/errors.js";

const WINDOW_MS = 60_000;
/** Addresses that are remembered. About 1 MB. */
const MOST_ADDRESSES = 10_000;

interface Failures {
  readonly sinceMs: number;
  count: number;
}

/**
 * Counts failed tries to sign in, by address. Keys cannot be guessed, with or without it; it keeps those who try from filling
 * the log and the processor. Each process counts for itself.
 */
export class SignInAttempts {
  readonly #failures = new Map<string, Failures>();
  readonly #tries: number;
  readonly #now: () => number;

  /** @param options `tries`: most failures of one address within a minute; `now`: milliseconds, of any origin */
  constructor({ tries, now }: { readonly tries: number; readonly now: () => number }) {
    this.#tries = tries;
    this.#now = now;
  }

  /** @throws SextantError `rate_limit_exceeded` */
  check(address: string): void {
    const failures = this.#current(address);
    if (failures === undefined || failures.count < this.#tries) return;
    const waitS = Math.ceil((failures.sinceMs + WINDOW_MS - this.#now()) / 1000);
    throw new SextantError(
      "rate_limit_exceeded",
      `${failures.count} keys were refused in a minute. Try again in ${waitS} s.`,
      { extra: { retry_after: waitS } },
    );
  }

  failed(address: string): void {
    const failures = this.#current(address);
    if (failures !== undefined) {
      failures.count += 1;
      return;
    }
    if (this.#failures.size >= MOST_ADDRESSES) this.#failures.clear();
    this.#failures.set(address, { sinceMs: this.#now(), count: 1 });
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }

  #current(address: string): Failures | undefined {
    const failures = this.#failures.get(address);
    return failures !== undefined && this.#now() - failures.sinceMs < WINDOW_MS
      ? failures
      : this.#forget(address);
  }

  #forget(address: string): undefined {
    this.#failures.delete(address);
    return undefined;
  }
}
