/** Stops a timer; harmless once it has run. */
export type StopTimer = () => void;

/** Where timers come from, so that tests need no real time. */
export interface Timers {
  /** Calls `run` once, `delayMs` from now. */
  start(run: () => void, delayMs: number): StopTimer;
}

/** The timers of the process. */
export const systemTimers: Timers = {
  start(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Monotonic milliseconds from any origin. */
export type Clock = () => number;

/** Milliseconds as answers and traces show them: to the microsecond. */
export const shownMs = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
