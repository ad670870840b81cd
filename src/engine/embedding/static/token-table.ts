import { EmbedderLoadError } from "../load-error.js";
import type { ExportedTable } from "./exported-table.js";

/**
 * The rows of a static model, f32 [tokens, dimensions], read out of it once. A static model is
 * nothing but its table, and summing some rows takes a fifth of the time of a run that gathers, casts and sums them
 * (docs/decisions/reading-prompts.md).
 */
export interface TokenTable {
  readonly dimensions: number;
  /** Unit vector of the sum of the rows of the first `count` ids, `[dimensions]`; zeros when the sum is zero. */
  unitSum(ids: Int32Array, count: number): Float32Array;
}

interface Tokens {
  /** Largest id the tokenizer can produce. */
  readonly largestId: number;
  /** Of the model, for messages. */
  readonly path: string;
}

/** Keeps the codes as they are in the file. @throws EmbedderLoadError when a token has no row, or padding is not zero */
export function exportedTokenTable(exported: ExportedTable, { largestId, path }: Tokens): TokenTable {
  const { dimensions, codes, scales } = exported;
  if (largestId >= scales.length)
    throw new EmbedderLoadError(
      `${path} has no row for token ${largestId}, which tokenizer.json can produce`,
    );
  if (scales[0] !== 0 && codes.subarray(0, dimensions).some((code) => code !== 0))
    throw new EmbedderLoadError(`${path}: token 0 is padding and must yield a zero vector, but does not`);
  return tableOf(exported);
}

function tableOf(rows: ExportedTable): TokenTable {
  const { dimensions, codes, scales } = rows;
  return {
    dimensions,
    unitSum(ids, count) {
      const sum = new Float32Array(dimensions);
      let first = 0;
      for (; first + 4 <= dimensions; first += 4) addFour(rows, sum, { ids, count, first });
      for (; first < dimensions; first++) {
        let total = 0;
        for (let index = 0; index < count; index++) {
          const id = ids[index] as number;
          total += Math.fround((codes[id * dimensions + first] as number) * (scales[id] as number));
        }
        sum[first] = total;
      }
      return toUnit(sum);
    },
  };
}

interface Columns {
  readonly ids: Int32Array;
  readonly count: number;
  readonly first: number;
}

/** Four columns of the sum: kept in registers over all tokens, which is twice as fast as adding row by row. */
function addFour({ codes, scales }: ExportedTable, sum: Float32Array, { ids, count, first }: Columns): void {
  const dimensions = sum.length;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let index = 0; index < count; index++) {
    const id = ids[index] as number;
    const at = id * dimensions + first;
    const scale = scales[id] as number;
    a += Math.fround((codes[at] as number) * scale);
    b += Math.fround((codes[at + 1] as number) * scale);
    c += Math.fround((codes[at + 2] as number) * scale);
    d += Math.fround((codes[at + 3] as number) * scale);
  }
  sum[first] = a;
  sum[first + 1] = b;
  sum[first + 2] = c;
  sum[first + 3] = d;
}

/** In place. */
function toUnit(vector: Float32Array): Float32Array {
  let squares = 0;
  for (let d = 0; d < vector.length; d++) squares += (vector[d] as number) ** 2;
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let d = 0; d < vector.length; d++) vector[d] = (vector[d] as number) * scale;
  return vector;
}
