/** Monotonic milliseconds from any origin. */
export type Clock = () => number;

export const systemClock: Clock = () => performance.now();

/** Stops a timer; harmless when it has run. */
export type Cancel = () => void;

/** Where timers come from, so that tests need no real time. */
export interface Timers {
  /** Runs the task once, after that many milliseconds. */
  after(ms: number, task: () => void): Cancel;
  /** Runs the task every that many milliseconds, first after as many. */
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

/** A timer that keeps the process alive, for work that goes on when it runs. */
export const waitingTimers: Pick<Timers, "after"> = {
  after(ms, task) {
    const timer = setTimeout(task, ms);
    return () => clearTimeout(timer);
  },
};

/** As the promise, or undefined after that many milliseconds; what it stands for goes on. */
export function within<Result>(
  ms: number,
  promise: Promise<Result>,
  timers: Pick<Timers, "after">,
): Promise<Result | undefined> {
  let cancel: Cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = timers.after(ms, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(() => cancel());
}

/** Resolves when other work of the thread has run. */
export const yieldThread = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Milliseconds as answers and traces show them: to the microsecond. */
export const shownMs = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000;
