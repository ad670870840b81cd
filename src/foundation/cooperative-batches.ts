import { systemClock, yieldThread } from "./timers.js";

/** Milliseconds of a batch when nothing else wants the thread. */
const LEAST_MS = 0.5;
/** Of the time that other work took between two batches, what the next may take: a quarter. */
const SHARE = 0.25;
/** Items between two looks at the clock. */
const LOOK_EVERY = 8;

export interface BatchClock {
  /** Milliseconds, of any origin. */
  readonly now: () => number;
  /** Resolves when other work of the thread has run. */
  readonly yield: () => Promise<void>;
}

const THREAD: BatchClock = { now: systemClock, yield: yieldThread };

/**
 * Runs a long task step by step, in batches of half a millisecond, between which other work of the thread runs, so that it does not
 * hold up requests. The busier the thread is between two batches, the longer they are, so that many requests cannot hold the task
 * up indefinitely.
 *
 * @param step does a little of the task. @returns whether the task is done
 */
export async function runCooperatively(step: () => boolean, clock: BatchClock = THREAD): Promise<void> {
  let startedAt = clock.now();
  let lengthMs = LEAST_MS;
  while (!step()) {
    if (clock.now() - startedAt < lengthMs) continue;
    const leftAt = clock.now();
    await clock.yield();
    startedAt = clock.now();
    lengthMs = Math.max(LEAST_MS, SHARE * (startedAt - leftAt));
  }
}

/** Runs the task for every item, in order, as `runCooperatively` does. */
export async function forEachCooperatively<Item>(
  items: readonly Item[],
  task: (item: Item, index: number) => void,
  clock?: BatchClock,
): Promise<void> {
  let next = 0;
  await runCooperatively(() => {
    for (const end = Math.min(next + LOOK_EVERY, items.length); next < end; next++) {
      task(items[next] as Item, next);
    }
    return next === items.length;
  }, clock);
}
