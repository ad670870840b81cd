import type { Timers } from "../../src/foundation/timers.js";
import { FakeClock } from "./clock.js";

/** Time that passes only when a test says so, and waits for what it sets off. */
export class ManualTime {
  readonly #clock = new FakeClock(0);
  readonly clock = this.#clock.now;
  readonly timers: Timers = this.#clock;

  /** Timers that were started and neither ran nor were stopped. */
  get running(): number {
    return this.#clock.waiting;
  }

  /** Lets that much time pass: timers run in order, and what they set off is done before the next one runs. */
  async advance(milliseconds: number): Promise<void> {
    const untilMs = this.clock() + milliseconds;
    await quiet();
    while (this.#clock.runNext(untilMs)) await quiet();
    this.#clock.advance(untilMs - this.clock());
  }
}

/** Resolves when everything that waits for nothing outside has been done. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
