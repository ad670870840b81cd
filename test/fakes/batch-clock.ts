import type { BatchClock } from "../../src/foundation/cooperative-batches.js";

/** A clock on which a millisecond has passed at every look, so that each look ends a batch. */
export function batchClock(): { readonly clock: BatchClock; batches(): number } {
  let nowMs = 0;
  let batches = 0;
  const clock = {
    now: () => nowMs++,
    yield: () => {
      batches += 1;
      return Promise.resolve();
    },
  };
  return { clock, batches: () => batches };
}
