import type { AnchorVectors } from "./anchor-vectors.js";
import { dotModuleBytes } from "./dot-wasm.js";
import { PEAK_BLOCK, wasmEngine } from "./vector-memory.js";

/**
 * Similarities of one query at a time to the rows of a set, by WebAssembly SIMD. Not re-entrant: one search at a time
 * on a set's memory.
 */
export interface SimilarityKernel {
  /**
   * Sets the query, `[dimensions]`, of unit length or all zeros, and returns which of the two it is.
   *
   * @throws RangeError when it has other dimensions than the set
   */
  load(query: Float32Array): "unit" | "zero";
  /** Similarities to all anchors; the views are overwritten by the next call. 11 ns a row of 256. */
  all(): ScannedSimilarities;
  /**
   * The same for `rows` anchors from number `first` on, at the indexes where `all` has them; their peaks from index 0 on. Reads
   * up to three rows more.
   */
  some(first: number, rows: number): ScannedSimilarities;
}

export interface ScannedSimilarities {
  /** `[count]`. */
  readonly similarities: Float32Array;
  /**
   * `[4 × ⌈count / PEAK_BLOCK⌉]`: number 4b + l is the highest of similarities PEAK_BLOCK·b + l, + 4, + 8, + 12. Those of
   * a last, partial block are undefined.
   */
  readonly peaks: Float32Array;
}

/**
 * Upper limit of a row's sum of products, so that rows of any length fit the i32 lanes of the sums. Half of what an i32
 * holds, because rounding the query may increase a sum.
 */
const LARGEST_SUM = 2 ** 30;
const LARGEST_CODE = 127;
const LARGEST_QUERY_CODE = 32_767;

interface DotExports {
  scan(
    codes: number,
    stride: number,
    rows: number,
    scales: number,
    query: number,
    queryEnd: number,
    step: number,
    out: number,
    peaks: number,
  ): void;
}

let compiled: object | undefined;

function instantiate(vectors: AnchorVectors): DotExports {
  const engine = wasmEngine();
  compiled ??= new engine.Module(dotModuleBytes());
  const instance = new engine.Instance(compiled, { vectors: { memory: vectors.memory.memory } });
  return instance.exports as unknown as DotExports;
}

export function openKernel(vectors: AnchorVectors): SimilarityKernel {
  const { scan } = instantiate(vectors);
  const { count, dimensions } = vectors;
  const { codesAt, scalesAt, queryAt, queryLength, similaritiesAt, peaksAt } = vectors.memory;
  const { query, scanned } = scratchOf(vectors);
  const queryEnd = queryAt + queryLength * 2;
  let step = 0;
  return {
    load(vector) {
      step = quantiseQuery(vector, query, dimensions);
      return step > 0 ? "unit" : "zero";
    },
    all() {
      scan(codesAt, dimensions, count, scalesAt, queryAt, queryEnd, step, similaritiesAt, peaksAt);
      return scanned;
    },
    some(first, rows) {
      const codes = codesAt + first * dimensions;
      const scales = scalesAt + 4 * first;
      const out = similaritiesAt + 4 * first;
      scan(codes, dimensions, rows, scales, queryAt, queryEnd, step, out, peaksAt);
      return scanned;
    },
  };
}

function scratchOf({ count, memory }: AnchorVectors) {
  const { buffer } = memory;
  return {
    query: new Int16Array(buffer, memory.queryAt, memory.queryLength),
    scanned: {
      similarities: new Float32Array(buffer, memory.similaritiesAt, count),
      peaks: new Float32Array(buffer, memory.peaksAt, 4 * Math.ceil(count / PEAK_BLOCK)),
    },
  };
}

/**
 * Writes `vector` as i16 codes and returns the value of one step, an f32: as fine as i16 allows, or as the sums allow
 * when the vector has many dimensions of equal size. Off by at most half a step per dimension: 1e-5 of a similarity at 256.
 *
 * @throws RangeError when the vector has other dimensions than the set
 */
function quantiseQuery(vector: Float32Array, codes: Int16Array, dimensions: number): number {
  if (vector.length !== dimensions) {
    throw new RangeError(`a query of ${vector.length} dimensions does not fit anchors of ${dimensions}`);
  }
  let largest = 0;
  let total = 0;
  for (let d = 0; d < dimensions; d++) {
    const size = Math.abs(vector[d] as number);
    if (size > largest) largest = size;
    total += size;
  }
  const step = Math.fround(Math.max(largest / LARGEST_QUERY_CODE, (total * LARGEST_CODE) / LARGEST_SUM));
  const perStep = step > 0 ? 1 / step : 0;
  // Adding an offset makes truncation round to nearest, which costs a third of Math.round.
  for (let d = 0; d < dimensions; d++) codes[d] = (((vector[d] as number) * perStep + 32_768.5) | 0) - 32_768;
  return step;
}
