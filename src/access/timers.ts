/** Stops a timer; harmless when it has run. */
export type Cancel = () => void;

export interface Timers {
  /** Runs the task once, after that many milliseconds. */
  after(ms: number, task: () => void): Cancel;
  /** Runs the task again and again. */
  every(ms: number, task: () => void): Cancel;
}

/** Timers that do not keep the process alive. */
export const systemTimers: Timers = {
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
  every(ms, task) {
    const timer = setInterval(task, ms).unref();
    return () => clearInterval(timer);
  },
};
