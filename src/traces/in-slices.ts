/** Milliseconds of a slice when nothing else wants the thread. */
const LEAST_MS = 0.5;
/** Of the time that other work took between two slices, what the next may take: a quarter. */
const SHARE = 0.25;
/** Items between two looks at the clock. */
const LOOK_EVERY = 8;

export interface SliceClock {
  /** Milliseconds, of any origin. */
  readonly now: () => number;
  /** Resolves when other work of the thread has had its turn. */
  readonly nextTurn: () => Promise<void>;
}

const THREAD: SliceClock = {
  now: () => performance.now(),
  nextTurn: () => new Promise((resolve) => setImmediate(resolve)),
};

/**
 * Does something with every item, letting other work of the thread happen now and then: so that a large batch does not hold
 * up requests, and requests, when there are too many, do not hold it up for ever. The busier the thread is between two slices, the
 * longer they are.
 */
export async function inSlices<Item>(
  items: readonly Item[],
  task: (item: Item, index: number) => void,
  { now, nextTurn }: SliceClock = THREAD,
): Promise<void> {
  let begunAt = now();
  let lengthMs = LEAST_MS;
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % LOOK_EVERY === 0 && now() - begunAt >= lengthMs) {
      const leftAt = now();
      await nextTurn();
      begunAt = now();
      lengthMs = Math.max(LEAST_MS, SHARE * (begunAt - leftAt));
    }
    task(item, index);
  }
}
