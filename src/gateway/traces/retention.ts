import type { Cancel, Timers } from "../../foundation/timers.js";
import type { TraceStore } from "./store.js";
import { messageOf, type TraceLog } from "./trace-log.js";

const DAY_MS = 86_400_000;

/** How often it is looked whether a day has passed, and how long after the start: not while the first requests come. */
const LOOK_MS = 3_600_000;
const FIRST_LOOK_MS = 60_000;

export interface RetentionDependencies {
  readonly store: Pick<TraceStore, "removeBefore">;
  readonly timers: Timers;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly log: TraceLog;
}

/**
 * Removes traces that are older than that many days, once a day (UTC): removing rewrites a month of ClickHouse's, so that it
 * is not done for every hour's traces. A trace is kept for that many days and up to one more.
 *
 * @returns what ends it; a removal that is going on is given up
 */
export function keepRetention(days: number, { store, timers, now, log }: RetentionDependencies): Cancel {
  const ended = new AbortController();
  let doneToMs = 0;
  let isBusy = false;

  async function look(): Promise<void> {
    const beforeMs = Math.floor(now() / DAY_MS) * DAY_MS - days * DAY_MS;
    if (isBusy || beforeMs <= doneToMs) return;
    isBusy = true;
    try {
      const removed = await store.removeBefore(beforeMs, { signal: ended.signal });
      doneToMs = beforeMs;
      if (removed > 0)
        log.info({ removed, before: new Date(beforeMs).toISOString() }, "old traces were removed");
    } catch (error) {
      if (!ended.signal.aborted) log.warn({ reason: messageOf(error) }, "old traces could not be removed");
    } finally {
      isBusy = false;
    }
  }

  const stopFirst = timers.after(FIRST_LOOK_MS, () => void look());
  const stopLooking = timers.every(LOOK_MS, () => void look());
  return () => {
    stopFirst();
    stopLooking();
    ended.abort();
  };
}
