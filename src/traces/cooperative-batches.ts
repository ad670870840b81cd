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

const THREAD: BatchClock = {
  now: () => performance.now(),
  yield: () => new Promise((resolve) => setImmediate(resolve)),
};

/**
 * Runs the task for every item, in order and in batches of half a millisecond, between which other work of the thread runs: a
 * large batch does not hold up requests. The busier the thread is between two batches, the longer they are, so that many
 * requests cannot hold them up indefinitely.
 */
export async function forEachCooperatively<Item>(
  items: readonly Item[],
  task: (item: Item, index: number) => void,
  clock: BatchClock = THREAD,
): Promise<void> {
  let begunAt = clock.now();
  let lengthMs = LEAST_MS;
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % LOOK_EVERY === 0 && clock.now() - begunAt >= lengthMs) {
      const leftAt = clock.now();
      await clock.yield();
      begunAt = clock.now();
      lengthMs = Math.max(LEAST_MS, SHARE * (begunAt - leftAt));
    }
    task(item, index);
  }
}
