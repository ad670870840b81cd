/** Buckets over similarities −1 … 1 in which the bar is looked for: it is a thousandth too low at most. */
const BUCKETS = 2048;
/** More than the rounding of a bucket's edge. */
const EDGE_MARGIN = 1e-6;

/** A similarity that as many of those added as are wanted reach; −∞ until there are so many. Rises as they come in. */
export interface RisingBar {
  readonly value: number;
  /** The highest similarity that was added; −1 before any was. */
  readonly highest: number;
  /** Forgets everything; from now on `wanted`, ≥ 1, are looked for. */
  reset(wanted: number): void;
  /** A similarity at or above the bar. A few nanoseconds. */
  add(similarity: number): void;
}

export function createRisingBar(): RisingBar {
  const histogram = new Uint32Array(BUCKETS + 1);
  let wanted = 1;
  /** Of the bar, and how many were added at or above it. */
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
      wanted = next;
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
      if (count - (histogram[bucket] as number) < wanted) return;
      while (count - (histogram[bucket] as number) >= wanted) count -= histogram[bucket++] as number;
      value = (2 * bucket) / BUCKETS - 1 - EDGE_MARGIN;
    },
  };
}
