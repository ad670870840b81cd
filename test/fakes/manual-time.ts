import type { Cancel, Timers } from "../../src/foundation/timers.js";

interface Waiting {
  readonly runsAtMs: number;
  readonly run: () => void;
}

/** Time that passes only when a test says so. */
export class ManualTime {
  #nowMs = 0;
  readonly #waiting = new Set<Waiting>();

  readonly clock = (): number => this.#nowMs;

  readonly timers: Timers = {
    after: (delayMs, run) => {
      const waiting = { runsAtMs: this.#nowMs + delayMs, run };
      this.#waiting.add(waiting);
      return () => this.#waiting.delete(waiting);
    },
    every: (delayMs, run) => {
      let cancel: Cancel;
      const again = () => {
        cancel = this.timers.after(delayMs, () => {
          again();
          run();
        });
      };
      again();
      return () => cancel();
    },
  };

  /** Timers that were started and neither ran nor were stopped. */
  get running(): number {
    return this.#waiting.size;
  }

  /** Lets that much time pass: timers run in order, and what they set off is done before the next one runs. */
  async advance(milliseconds: number): Promise<void> {
    const untilMs = this.#nowMs + milliseconds;
    await quiet();
    for (let next = this.#nextBy(untilMs); next !== undefined; next = this.#nextBy(untilMs)) {
      this.#waiting.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.runsAtMs);
      next.run();
      await quiet();
    }
    this.#nowMs = untilMs;
  }

  #nextBy(untilMs: number): Waiting | undefined {
    const [first] = [...this.#waiting].sort((left, right) => left.runsAtMs - right.runsAtMs);
    return first !== undefined && first.runsAtMs <= untilMs ? first : undefined;
  }
}

/** Resolves when everything that waits for nothing outside has been done. */
export function quiet(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
