import { setImmediate as nextTurn } from "node:timers/promises";
import type { BuildIndexOptions } from "./anchor-index.js";
import { type AnchorVectors, decodeRow, quantise } from "./anchor-vectors.js";
import type { IvfLists } from "./ivf-lists.js";
import { evenSample, measureProbeBound } from "./probe-bound.js";
import { openKernel } from "./similarity.js";

/**
 * Lists per square root of the number of anchors. More lists make comparing centroids more expensive, fewer make scanning lists
 * more expensive: measured in docs/decisions/search.md.
 */
const LISTS_PER_ROOT = 4;
const MOST_LISTS = 65_535;
/** Anchors per list that k-means runs on. */
const SAMPLE_PER_LIST = 16;
const ITERATIONS = 8;
/** Anchors processed before yielding to the event loop: a few milliseconds. */
const ANCHORS_PER_TURN = 512;

/**
 * Partitions the anchors into lists by k-means on an even sample, and measures the probe bound. Half a second for 25,000
 * anchors, a minute for a million. The same vectors give the same lists on every machine.
 *
 * @throws the reason of `signal` when it is aborted
 */
export async function buildIvfLists(
  vectors: AnchorVectors,
  options: BuildIndexOptions = {},
): Promise<IvfLists> {
  const { count, dimensions } = vectors;
  const lists = Math.min(MOST_LISTS, count, Math.ceil(LISTS_PER_ROOT * Math.sqrt(count)));
  const sample = evenSample(count, lists * SAMPLE_PER_LIST);
  const seeds = evenSample(sample.length, lists).map((index) => sample[index] as number);
  const total = ITERATIONS * sample.length + count;
  let done = 0;
  const onAnchor = async (): Promise<void> => {
    if (++done % ANCHORS_PER_TURN !== 0) return;
    options.onProgress?.(done, total);
    await nextTurn(undefined, options.signal ? { signal: options.signal } : {});
  };
  options.signal?.throwIfAborted();
  let centroids = Float32Array.from({ length: lists * dimensions }, (_, at) =>
    valueAt(vectors, (seeds[Math.floor(at / dimensions)] as number) * dimensions + (at % dimensions)),
  );
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const listOf = await nearestCentroids(vectors, { anchors: sample, centroids, onAnchor });
    centroids = meansOf(vectors, { anchors: sample, listOf, fallback: centroids });
    normaliseRows(centroids, dimensions);
  }
  const anchors = evenSample(count, count);
  const listOf = await nearestCentroids(vectors, { anchors, centroids, onAnchor });
  const means = quantise(meansOf(vectors, { anchors, listOf, fallback: centroids }), dimensions);
  options.onProgress?.(total, total);
  // Copies, which do not keep the scratch memory of `means` alive.
  const stored = { codes: means.codes.slice(), scales: means.scales.slice() };
  return { listOf, centroids: stored, probeBound: measureProbeBound(vectors, { listOf, centroids: stored }) };
}

const valueAt = ({ codes, scales, dimensions }: AnchorVectors, at: number): number =>
  (codes[at] as number) * (scales[Math.floor(at / dimensions)] as number);

interface Assignment {
  readonly anchors: Uint32Array;
  /** f32 `[lists × dimensions]`. */
  readonly centroids: Float32Array;
  readonly onAnchor: () => Promise<void>;
}

/** The list of the most similar centroid for each of `anchors`, the first of equal ones. */
async function nearestCentroids(
  vectors: AnchorVectors,
  { anchors, centroids, onAnchor }: Assignment,
): Promise<Uint16Array> {
  const { dimensions } = vectors;
  const kernel = openKernel(quantise(centroids, dimensions));
  const listOf = new Uint16Array(anchors.length);
  for (const [index, anchor] of anchors.entries()) {
    kernel.load(decodeRow(vectors, anchor));
    listOf[index] = indexOfHighest(kernel.all().similarities);
    await onAnchor();
  }
  return listOf;
}

function indexOfHighest(values: Float32Array): number {
  let highest = 0;
  for (let index = 1; index < values.length; index++) {
    if ((values[index] as number) > (values[highest] as number)) highest = index;
  }
  return highest;
}

interface Members {
  readonly anchors: Uint32Array;
  /** List of each of `anchors`. */
  readonly listOf: Uint16Array;
  /** f32 `[lists × dimensions]`: the centroids of empty lists. */
  readonly fallback: Float32Array;
}

/** Means of the lists' anchors, f32 `[lists × dimensions]`. */
function meansOf(vectors: AnchorVectors, { anchors, listOf, fallback }: Members): Float32Array<ArrayBuffer> {
  const { codes, scales, dimensions } = vectors;
  const sums = new Float64Array(fallback.length);
  const sizes = new Uint32Array(fallback.length / dimensions);
  for (const [index, anchor] of anchors.entries()) {
    const list = listOf[index] as number;
    const scale = scales[anchor] as number;
    sizes[list] = (sizes[list] as number) + 1;
    for (let d = 0; d < dimensions; d++) {
      const at = list * dimensions + d;
      sums[at] = (sums[at] as number) + scale * (codes[anchor * dimensions + d] as number);
    }
  }
  return Float32Array.from(sums, (sum, at) => {
    const members = sizes[Math.floor(at / dimensions)] as number;
    return members > 0 ? sum / members : (fallback[at] as number);
  });
}

/** Scales rows to unit length in place; rows of zeros stay. */
function normaliseRows(rows: Float32Array, dimensions: number): void {
  for (let start = 0; start < rows.length; start += dimensions) {
    let squares = 0;
    for (let at = start; at < start + dimensions; at++) squares += (rows[at] as number) ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let at = start; at < start + dimensions; at++) rows[at] = (rows[at] as number) * scale;
  }
}
