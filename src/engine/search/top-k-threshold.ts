/** Buckets over similarities −1 … 1, by which the threshold is at most a thousandth too low. */
const BUCKETS = 2048;
/** Larger than the rounding error of a bucket's edge. */
const EDGE_MARGIN = 1e-6;

/** A running lower bound of the k-th highest similarity added so far; −∞ until there are k. Never falls between resets. */
export interface TopKThreshold {
  readonly value: number;
  /** The highest similarity added; −1 before the first. */
  readonly highest: number;
  /** Forgets all similarities and sets k, ≥ 1. */
  reset(k: number): void;
  /** Adds a similarity at or above the threshold. A few nanoseconds. */
  add(similarity: number): void;
}

export function createTopKThreshold(): TopKThreshold {
  const histogram = new Uint32Array(BUCKETS + 1);
  let k = 1;
  /** Bucket of the threshold, and the number of similarities in it and above. */
  let bucket = 0;
  let count = 0;
  let value = Number.NEGATIVE_INFINITY;
  let highest = -1;
  return {
    get value() {
      return value;
    },
    get highest() {
      return highest;
    },
    reset(next) {
      histogram.fill(0);
      k = next;
      bucket = 0;
      count = 0;
      value = Number.NEGATIVE_INFINITY;
      highest = -1;
    },
    add(similarity) {
      if (similarity > highest) highest = similarity;
      const own = ((similarity + 1) * (BUCKETS / 2)) | 0;
      if (own < bucket) return;
      histogram[own] = (histogram[own] as number) + 1;
      count++;
      if (count - (histogram[bucket] as number) < k) return;
      while (count - (histogram[bucket] as number) >= k) count -= histogram[bucket++] as number;
      value = (2 * bucket) / BUCKETS - 1 - EDGE_MARGIN;
    },
  };
}
