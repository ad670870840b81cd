import { setImmediate as nextTurn } from "node:timers/promises";
import { type AnchorVectors, decodeRow, quantise } from "./anchor-vectors.js";
import { measureReach } from "./cell-reach.js";
import type { Cells } from "./cells.js";
import { openKernel } from "./similarity.js";
import { checksumOf } from "./vectors-checksum.js";

export interface BuildCellsOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Cells for each root of the number of anchors. More make the comparison with their means dearer, fewer the reading of cells:
 * measured in docs/decisions/0002-nearest-neighbours.md.
 */
const CELLS_PER_ROOT = 4;
const MOST_CELLS = 65_535;
/** Anchors that the centres are found with, for each cell. */
const SAMPLE_PER_CELL = 16;
const ITERATIONS = 8;
/** Anchors between two turns of the event loop: some milliseconds. */
const ANCHORS_A_TURN = 512;

/**
 * Deals the anchors into cells by k-means on an even sample, and measures how far a search must reach. Half a second for
 * 25,000 anchors, a minute for a million. The same vectors give the same cells, on every machine.
 *
 * @throws what `signal` says
 */
export async function buildCells(vectors: AnchorVectors, options: BuildCellsOptions = {}): Promise<Cells> {
  const { count, dimensions } = vectors;
  const cells = Math.min(MOST_CELLS, count, Math.ceil(CELLS_PER_ROOT * Math.sqrt(count)));
  const sample = evenSample(count, cells * SAMPLE_PER_CELL);
  const seeds = evenSample(sample.length, cells).map((place) => sample[place] as number);
  const total = ITERATIONS * sample.length + count;
  let done = 0;
  const pace = async (): Promise<void> => {
    if (++done % ANCHORS_A_TURN !== 0) return;
    options.onProgress?.(done, total);
    await nextTurn(undefined, options.signal ? { signal: options.signal } : {});
  };
  options.signal?.throwIfAborted();
  let centres = Float32Array.from({ length: cells * dimensions }, (_, at) =>
    valueAt(vectors, (seeds[Math.floor(at / dimensions)] as number) * dimensions + (at % dimensions)),
  );
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    const cellOf = await nearestCentres(vectors, { anchors: sample, centres, pace });
    centres = meansOf(vectors, { anchors: sample, cellOf, fallback: centres });
    toUnitRows(centres, dimensions);
  }
  const anchors = evenSample(count, count);
  const cellOf = await nearestCentres(vectors, { anchors, centres, pace });
  const means = quantiseMeans(meansOf(vectors, { anchors, cellOf, fallback: centres }), dimensions);
  options.onProgress?.(total, total);
  const dealt = { size: count, dimensions, vectorsChecksum: checksumOf(vectors), cellOf, means };
  return { ...dealt, reach: measureReach(vectors, dealt) };
}

/** `count` numbers below `size`, evenly spaced; all when there are no more. */
function evenSample(size: number, count: number): Uint32Array {
  const length = Math.min(size, count);
  return Uint32Array.from({ length }, (_, place) => Math.floor((place * size) / length));
}

const valueAt = ({ codes, scales, dimensions }: AnchorVectors, at: number): number =>
  (codes[at] as number) * (scales[Math.floor(at / dimensions)] as number);

interface Dealing {
  readonly anchors: Uint32Array;
  /** f32 `[cells × dimensions]`. */
  readonly centres: Float32Array;
  readonly pace: () => Promise<void>;
}

/** The most similar centre of each anchor, the first of equal ones. */
async function nearestCentres(
  vectors: AnchorVectors,
  { anchors, centres, pace }: Dealing,
): Promise<Uint16Array> {
  const { dimensions } = vectors;
  const kernel = openKernel(quantise(centres, dimensions));
  const cellOf = new Uint16Array(anchors.length);
  for (let place = 0; place < anchors.length; place++) {
    kernel.load(decodeRow(vectors, anchors[place] as number));
    cellOf[place] = placeOfHighest(kernel.all().similarities);
    await pace();
  }
  return cellOf;
}

function placeOfHighest(values: Float32Array): number {
  let highest = 0;
  for (let place = 1; place < values.length; place++) {
    if ((values[place] as number) > (values[highest] as number)) highest = place;
  }
  return highest;
}

interface Members {
  readonly anchors: Uint32Array;
  /** Of each of `anchors`. */
  readonly cellOf: Uint16Array;
  /** What an empty cell keeps. */
  readonly fallback: Float32Array;
}

function meansOf(vectors: AnchorVectors, { anchors, cellOf, fallback }: Members): Float32Array<ArrayBuffer> {
  const { codes, scales, dimensions } = vectors;
  const sums = new Float64Array(fallback.length);
  const sizes = new Uint32Array(fallback.length / dimensions);
  for (let place = 0; place < anchors.length; place++) {
    const anchor = anchors[place] as number;
    const cell = cellOf[place] as number;
    const scale = scales[anchor] as number;
    sizes[cell] = (sizes[cell] as number) + 1;
    for (let d = 0; d < dimensions; d++) {
      const at = cell * dimensions + d;
      sums[at] = (sums[at] as number) + scale * (codes[anchor * dimensions + d] as number);
    }
  }
  return Float32Array.from(sums, (sum, at) => {
    const members = sizes[Math.floor(at / dimensions)] as number;
    return members > 0 ? sum / members : (fallback[at] as number);
  });
}

/** In place; rows of zeros stay. */
function toUnitRows(rows: Float32Array, dimensions: number): void {
  for (let start = 0; start < rows.length; start += dimensions) {
    let squares = 0;
    for (let at = start; at < start + dimensions; at++) squares += (rows[at] as number) ** 2;
    const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
    for (let at = start; at < start + dimensions; at++) rows[at] = (rows[at] as number) * scale;
  }
}

function quantiseMeans(means: Float32Array, dimensions: number): Cells["means"] {
  const { codes, scales } = quantise(means, dimensions);
  return { codes: codes.slice(), scales: scales.slice() };
}
