import type { Cancel, Timers } from "../../src/foundation/timers.js";

interface Alarm {
  atMs: number;
  readonly everyMs: number | undefined;
  readonly task: () => void;
}

/** Time that passes when a test says so, and timers that run with it. */
export class FakeClock implements Timers {
  #nowMs: number;
  readonly #alarms = new Set<Alarm>();

  constructor(nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678)) {
    this.#nowMs = nowMs;
  }

  /** Milliseconds since the epoch. */
  readonly now = (): number => this.#nowMs;

  readonly after = (ms: number, task: () => void): Cancel => this.#add(ms, undefined, task);

  readonly every = (ms: number, task: () => void): Cancel => this.#add(ms, ms, task);

  /** Timers that wait. */
  get waiting(): number {
    return this.#alarms.size;
  }

  /** Lets time pass, forwards or, without running anything, backwards. */
  advance(ms: number): void {
    const endMs = this.#nowMs + ms;
    while (this.runNext(endMs));
    this.#nowMs = endMs;
  }

  /** Runs the first timer that is due by then, at its time; false when there is none. */
  runNext(endMs: number): boolean {
    const due = [...this.#alarms].filter(({ atMs }) => atMs <= endMs);
    const [alarm] = due.sort((left, right) => left.atMs - right.atMs);
    if (alarm === undefined) return false;
    this.#nowMs = Math.max(this.#nowMs, alarm.atMs);
    if (alarm.everyMs === undefined) this.#alarms.delete(alarm);
    else alarm.atMs += alarm.everyMs;
    alarm.task();
    return true;
  }

  #add(ms: number, everyMs: number | undefined, task: () => void): Cancel {
    const alarm = { atMs: this.#nowMs + ms, everyMs, task };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }
}
