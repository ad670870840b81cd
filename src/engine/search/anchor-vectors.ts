import { allocateVectorMemory, type VectorMemory } from "./vector-memory.js";

/**
 * The vectors of one anchor set: rows of unit length, stored as int8 codes with one scale a row
 * (`value ≈ code × scale`). The largest value of a row has the code ±127, so a value is off by about half a scale at most
 * and a similarity by less than 0.002 (0.0013 at worst over a query × 500 prompts, 256 dimensions).
 */
export interface AnchorVectors extends VectorCodes {
  /** The memory that codes and scales are views of. */
  readonly memory: VectorMemory;
}

/** The same wherever they are, such as in a file. */
export interface VectorCodes {
  readonly dimensions: number;
  readonly count: number;
  /** `[count × dimensions]`, row by row, −127…127. */
  readonly codes: Int8Array;
  /** `[count]`, ≥ 0; 0 for a row of zeros. */
  readonly scales: Float32Array;
}

/**
 * Vectors to be filled by the caller: a loader reads the file straight into `codes` and `scales`.
 *
 * @throws RangeError when the set needs more than 4 GiB
 */
export function allocateAnchorVectors(count: number, dimensions: number): AnchorVectors {
  const memory = allocateVectorMemory(count, dimensions);
  return {
    dimensions,
    count,
    codes: new Int8Array(memory.buffer, memory.codesAt, count * dimensions),
    scales: new Float32Array(memory.buffer, memory.scalesAt, count),
    memory,
  };
}

/** A copy that can be searched. */
export function vectorsInMemory({ count, dimensions, codes, scales }: VectorCodes): AnchorVectors {
  const vectors = allocateAnchorVectors(count, dimensions);
  vectors.codes.set(codes);
  vectors.scales.set(scales);
  return vectors;
}

/**
 * Quantises `rows`, f32 `[count × dimensions]`, each of unit length or all zeros.
 *
 * @throws RangeError when `rows` is not a whole number of rows, or holds a value that is not finite
 */
export function quantise(rows: Float32Array, dimensions: number): AnchorVectors {
  if (rows.length % dimensions !== 0) {
    throw new RangeError(`${rows.length} values are no whole number of rows of ${dimensions} dimensions`);
  }
  const vectors = allocateAnchorVectors(rows.length / dimensions, dimensions);
  for (let anchor = 0; anchor < vectors.count; anchor++) {
    quantiseRow(vectors, anchor, rows.subarray(anchor * dimensions, (anchor + 1) * dimensions));
  }
  return vectors;
}

/**
 * Writes one row, f32 `[dimensions]`, as number `anchor`. The scale is chosen so that the decoded row has the length of
 * the row: rounding the codes alone would make similarities to it up to 0.2 % too small or too large.
 */
export function quantiseRow(vectors: AnchorVectors, anchor: number, row: Float32Array): void {
  let largest = 0;
  for (const value of row) {
    if (!Number.isFinite(value)) throw new RangeError(`anchor ${anchor} holds ${value}`);
    largest = Math.max(largest, Math.abs(value));
  }
  const perUnit = largest > 0 ? 127 / largest : 0;
  const start = anchor * vectors.dimensions;
  let rowSquares = 0;
  let codeSquares = 0;
  for (let d = 0; d < row.length; d++) {
    const value = row[d] as number;
    const code = Math.round(value * perUnit);
    vectors.codes[start + d] = code;
    rowSquares += value * value;
    codeSquares += code * code;
  }
  vectors.scales[anchor] = codeSquares > 0 ? Math.sqrt(rowSquares / codeSquares) : 0;
}

/** Row number `anchor` as f32 `[dimensions]`. */
export function decodeRow(vectors: VectorCodes, anchor: number): Float32Array {
  const { codes, scales, dimensions } = vectors;
  const start = anchor * dimensions;
  const scale = scales[anchor] ?? 0;
  const row = new Float32Array(dimensions);
  for (let d = 0; d < dimensions; d++) row[d] = (codes[start + d] as number) * scale;
  return row;
}
