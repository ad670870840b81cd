import type { Neighbours } from "./anchor-index.js";
import type { ScannedSimilarities } from "./similarity.js";
import { PEAK_BLOCK } from "./vector-memory.js";

/** Selects and sorts in the order of `Neighbours`: highest similarity first, equal ones by anchor number. */
export interface Ranking {
  /** The best `k` of all anchors. About 1 ns an anchor and 40 ns a result. */
  nearest(scanned: ScannedSimilarities, k: number): Neighbours;
  /** The best `k` of the anchors in the shortlist. */
  nearestOf(shortlist: Shortlist, k: number): Neighbours;
}

/** Some anchors and their similarities: the first `count` entries of arrays with room for more. */
export interface Shortlist {
  readonly anchors: Uint32Array;
  readonly similarities: Float32Array;
  count: number;
}

/** Buckets over similarities −1 … 1 for finding the k-th highest. */
const BUCKETS = 2048;
/** Buckets of the final sort: few anchors each, and cheap to clear. */
const SORT_BUCKETS = 1024;
/** Number of excess anchors in the last bucket from which insertion sort would be too slow. */
const CROWDED = 256;
/** Larger than the f32 and f64 rounding error of a bucket's edge. */
const EDGE_MARGIN = 1e-6;
/** Key of the similarity 0. */
const ZERO = 0x4000_0000;
/** Index of the more significant half of a 64-bit number. */
const HIGH = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 1 : 0;

/** For sets of up to `size` anchors. Keeps 16 bytes of scratch an anchor; not re-entrant. */
export function createRanking(size: number): Ranking {
  const histogram = new Uint32Array(BUCKETS + 1);
  const scratch = createShortlist(size);
  const sort = createSorter(size);

  const nearestOf = (shortlist: Shortlist, k: number): Neighbours =>
    sort(shortlist, Math.max(0, Math.min(k, shortlist.count)));

  return {
    nearestOf,
    nearest(scanned, k) {
      const { peaks, similarities } = scanned;
      const wholeBlocks = Math.floor(similarities.length / PEAK_BLOCK);
      // At least k peaks reach the threshold, and so do at least k anchors.
      const usable = 4 * wholeBlocks > 2 * k;
      const threshold = usable
        ? thresholdOf(peaks, { count: 4 * wholeBlocks, k, histogram })
        : Number.NEGATIVE_INFINITY;
      shortlistFrom(scanned, threshold, scratch);
      return nearestOf(scratch, k);
    },
  };
}

/** A shortlist with room for `size` anchors. */
function createShortlist(size: number): Shortlist {
  return { anchors: new Uint32Array(size), similarities: new Float32Array(size), count: 0 };
}

/** A number at or a little below the k-th highest of the first `count` values; −∞ when k is 0 or they are fewer. */
function thresholdOf(
  values: Float32Array,
  { count, k, histogram }: { readonly count: number; readonly k: number; readonly histogram: Uint32Array },
): number {
  histogram.fill(0);
  for (let at = 0; at < count; at++) {
    const bucket = bucketOf(values[at] as number);
    histogram[bucket] = (histogram[bucket] as number) + 1;
  }
  let bucket = BUCKETS;
  let above = histogram[bucket] as number;
  while (above < k && bucket > 0) above += histogram[--bucket] as number;
  return bucket === 0 ? Number.NEGATIVE_INFINITY : (2 * bucket) / BUCKETS - 1 - EDGE_MARGIN;
}

function bucketOf(similarity: number): number {
  return ((similarity + 1) * (BUCKETS / 2)) | 0;
}

/** Collects the anchors at or above `threshold`, reading only rows whose peak reaches it. */
function shortlistFrom(
  { similarities, peaks }: ScannedSimilarities,
  threshold: number,
  into: Shortlist,
): void {
  const wholeBlocks = Math.floor(similarities.length / PEAK_BLOCK);
  const { anchors, similarities: kept } = into;
  let count = 0;
  for (let peak = 0; peak < 4 * wholeBlocks; peak++) {
    if ((peaks[peak] as number) < threshold) continue;
    const first = PEAK_BLOCK * (peak >> 2) + (peak & 3);
    for (let anchor = first; anchor < first + PEAK_BLOCK; anchor += 4) {
      const similarity = similarities[anchor] as number;
      if (similarity < threshold) continue;
      anchors[count] = anchor;
      kept[count++] = similarity;
    }
  }
  for (let anchor = wholeBlocks * PEAK_BLOCK; anchor < similarities.length; anchor++) {
    anchors[count] = anchor;
    kept[count++] = similarities[anchor] as number;
  }
  into.count = count;
}

/**
 * Sorts the best `k` of a shortlist in linear time: anchors are distributed over buckets by similarity, those past the
 * k-th are dropped, and insertion sort orders them within buckets. The engine's own sort takes 50 ns a
 * number, this 15.
 */
function createSorter(size: number) {
  const keys = createKeys(size);
  const starts = new Uint32Array(SORT_BUCKETS + 1);

  return (shortlist: Shortlist, k: number): Neighbours => {
    const { anchors, similarities, count } = shortlist;
    const bucketIn = bucketsOver(shortlist);
    starts.fill(0);
    for (let at = 0; at < count; at++) {
      const next = bucketIn(similarities[at] as number) + 1;
      starts[next] = (starts[next] as number) + 1;
    }
    let last = 0;
    for (let before = 0; last < SORT_BUCKETS && before < k; last++) {
      before += starts[last + 1] as number;
      starts[last + 1] = before;
    }
    const kept = starts[last] as number;
    for (let at = 0; at < count; at++) {
      const bucket = bucketIn(similarities[at] as number);
      if (bucket >= last) continue;
      const slot = starts[bucket] as number;
      starts[bucket] = slot + 1;
      keys.put(slot, anchors[at] as number, similarities[at] as number);
    }
    keys.sort(kept, kept > 2 * k + CROWDED ? "shuffled" : "nearly sorted");
    return keys.first(k);
  };
}

/** Maps a similarity to one of `SORT_BUCKETS` buckets, the highest to 0. */
function bucketsOver({ similarities, count }: Shortlist): (similarity: number) => number {
  let lowest = 1;
  let highest = -1;
  for (let at = 0; at < count; at++) {
    const similarity = similarities[at] as number;
    if (similarity < lowest) lowest = similarity;
    if (similarity > highest) highest = similarity;
  }
  const perUnit = highest > lowest ? (SORT_BUCKETS - 1) / (highest - lowest) : 0;
  return (similarity) => ((highest - similarity) * perUnit) | 0;
}

/**
 * Anchors with their similarities as 64-bit keys: in the high half the similarity's bits, mapped so that a higher one gives a
 * lower key, in the low half the anchor number. As doubles the keys keep that order: they are positive and never NaN.
 */
function createKeys(size: number) {
  const keys = new Float64Array(size);
  const halves = new Uint32Array(keys.buffer);
  const float = new Float32Array(1);
  const bits = new Uint32Array(float.buffer);

  return {
    put(slot: number, anchor: number, similarity: number): void {
      float[0] = similarity;
      halves[2 * slot + HIGH] = fallingOf(bits[0] as number);
      halves[2 * slot + 1 - HIGH] = anchor;
    },
    sort(count: number, state: "nearly sorted" | "shuffled"): void {
      if (state === "nearly sorted") insertionSort(keys, count);
      else keys.subarray(0, count).sort();
    },
    first(k: number): Neighbours {
      const neighbours = { anchors: new Int32Array(k), similarities: new Float32Array(k) };
      for (let at = 0; at < k; at++) {
        bits[0] = bitsOf(halves[2 * at + HIGH] as number);
        neighbours.similarities[at] = float[0] as number;
        neighbours.anchors[at] = halves[2 * at + 1 - HIGH] as number;
      }
      return neighbours;
    },
  };
}

function insertionSort(keys: Float64Array, count: number): void {
  for (let at = 1; at < count; at++) {
    const key = keys[at] as number;
    let slot = at;
    for (; slot > 0 && (keys[slot - 1] as number) > key; slot--) keys[slot] = keys[slot - 1] as number;
    keys[slot] = key;
  }
}

/** The bits of an f32 in [−1, 1] as a number below 2^31 that falls as the f32 rises. */
function fallingOf(bits: number): number {
  return bits < 0x8000_0000 ? ZERO - bits : bits - ZERO;
}

/** Undoes `fallingOf`; −0 becomes 0. */
function bitsOf(falling: number): number {
  return falling <= ZERO ? ZERO - falling : falling + ZERO;
}
