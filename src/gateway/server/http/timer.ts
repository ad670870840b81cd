/** An alarm that can be wound up again. Rings once each time it runs out; never keeps the process alive. */
export interface Timer {
  /** Starts the whole time again, also after it rang. */
  refresh(): void;
  stop(): void;
}

export type StartTimer = (ring: () => void, afterMs: number) => Timer;

export const startTimer: StartTimer = (ring, afterMs) => {
  const timeout = setTimeout(ring, afterMs).unref();
  return { refresh: () => timeout.refresh(), stop: () => clearTimeout(timeout) };
};
