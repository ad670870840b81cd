import type { StartTimer } from "../../src/gateway/http/event-stream.js";

/** Alarms that ring when a test says so. */
export class FakeTimers {
  readonly #running = new Set<{ ring: () => void; afterMs: number }>();
  /** How often any alarm was wound up again. */
  refreshed = 0;

  readonly start: StartTimer = (ring, afterMs) => {
    const alarm = { ring, afterMs };
    this.#running.add(alarm);
    return {
      refresh: () => {
        this.refreshed += 1;
        this.#running.add(alarm);
      },
      stop: () => void this.#running.delete(alarm),
    };
  };

  /** Milliseconds of each alarm that is set. */
  get waiting(): readonly number[] {
    return [...this.#running].map(({ afterMs }) => afterMs);
  }

  /** All alarms that are set run out, or those of that many milliseconds. */
  ring(milliseconds?: number): void {
    const due = [...this.#running].filter(({ afterMs }) => afterMs === (milliseconds ?? afterMs));
    for (const alarm of due) this.#running.delete(alarm);
    for (const { ring } of due) ring();
  }
}
