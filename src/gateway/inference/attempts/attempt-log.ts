import type { Attempt, AttemptUsage } from "../../traces/trace.js";
import type { UnreportedCall } from "./attempt.js";

/** The upstream calls of one request, in order, and what is learned of each later. */
export class AttemptLog {
  readonly #attempts: Attempt[] = [];
  readonly #unreported: UnreportedCall[] = [];

  /** All so far; grows with later calls. */
  get all(): readonly Attempt[] {
    return this.#attempts;
  }

  /** Failed calls without reported usage, which is estimated when the request is over. */
  get unreported(): readonly UnreportedCall[] {
    return this.#unreported;
  }

  add(attempt: Attempt, unreported: UnreportedCall | null = null): void {
    this.#attempts.push(attempt);
    if (unreported !== null) this.#unreported.push(unreported);
  }

  /** Of the call that answers, when its stream has ended. */
  replaceLast(attempt: Attempt): void {
    this.#attempts[this.#attempts.length - 1] = attempt;
  }

  addUsage(attempt: Attempt, usage: AttemptUsage): void {
    this.#attempts[this.#attempts.indexOf(attempt)] = { ...attempt, usage };
  }
}
