import { EmbedderLoadError } from "../load-error.js";
import type { ExportedTable } from "./exported-table.js";
import type { OnnxSession } from "./onnx-session.js";

/**
 * The rows of a static model, f32 [tokens, dimensions], read out of it once. A static model is
 * nothing but its table, and summing some rows takes a fifth of the time of a run that gathers, casts and sums them
 * (docs/decisions/0005-token-table.md).
 */
export interface TokenTable {
  readonly dimensions: number;
  /** Unit vector of the sum of the rows of the first `count` ids, `[dimensions]`; zeros when the sum is zero. */
  unitSum(ids: Int32Array, count: number): Float32Array;
}

const TOKENS_PER_RUN = 2048;
/** Tokens by which the table's sums are held against the model's own. */
const CHECKED_TOKENS = 64;
const TOLERANCE = 1e-4;

interface Tokens {
  /** Largest id the tokenizer can produce. */
  readonly largestId: number;
  /** Of the model, for messages. */
  readonly path: string;
}

/** Keeps the codes as they are in the file. @throws EmbedderLoadError when a token has no row, or padding is not zero */
export function exportedTokenTable(exported: ExportedTable, tokens: Tokens): TokenTable {
  const { dimensions, codes, scales } = exported;
  if (tokens.largestId >= scales.length) throw noRow(tokens);
  if (scales[0] !== 0 && codes.subarray(0, dimensions).some((code) => code !== 0))
    throw paddingCounts(tokens);
  return tableOf(exported);
}

/**
 * Reads a model that is not as our export writes it through the ONNX runtime.
 *
 * @throws EmbedderLoadError when a token has no row, padding is not zero, or the model does more than sum its rows
 */
export async function readTokenTable(session: OnnxSession, tokens: Tokens): Promise<TokenTable> {
  const { dimensions } = session;
  const rows = await readRows(session, tokens);
  const table = tableOf({ dimensions, codes: rows, scales: new Float32Array(tokens.largestId + 1).fill(1) });
  if (rows.subarray(0, dimensions).some((value) => value !== 0)) throw paddingCounts(tokens);
  await checkSums(session, table, tokens);
  return table;
}

const noRow = ({ largestId, path }: Tokens, cause?: unknown): EmbedderLoadError =>
  new EmbedderLoadError(`${path} has no row for token ${largestId}, which tokenizer.json can produce`, {
    cause,
  });

const paddingCounts = ({ path }: Tokens): EmbedderLoadError =>
  new EmbedderLoadError(`${path}: token 0 is padding and must yield a zero vector, but does not`);

async function readRows(session: OnnxSession, tokens: Tokens): Promise<Float32Array> {
  const { largestId } = tokens;
  const rows = new Float32Array((largestId + 1) * session.dimensions);
  for (let first = 0; first <= largestId; first += TOKENS_PER_RUN) {
    const count = Math.min(TOKENS_PER_RUN, largestId + 1 - first);
    const ids = BigInt64Array.from({ length: count }, (_, index) => BigInt(first + index));
    try {
      rows.set(await session.rows(ids), first * session.dimensions);
    } catch (cause) {
      throw noRow(tokens, cause);
    }
  }
  return rows;
}

/** A model that weighs or transforms its rows would be misread as a table; it is refused instead. */
async function checkSums(
  session: OnnxSession,
  table: TokenTable,
  { largestId, path }: Tokens,
): Promise<void> {
  const count = Math.min(CHECKED_TOKENS, largestId);
  const ids = Int32Array.from({ length: count }, (_, index) => 1 + Math.floor((index * largestId) / count));
  const expected = await session.run(BigInt64Array.from(ids, BigInt), 1);
  const found = table.unitSum(ids, count);
  if (found.every((value, d) => Math.abs(value - (expected[d] ?? Number.NaN)) < TOLERANCE)) return;
  throw new EmbedderLoadError(
    `${path} is no static model: its sentence_embedding is not the unit vector of the sum of its rows. ` +
      'Remove the "sextant" block from config.json to open it as a transformer.',
  );
}

/** A value is `f32(code × scale)`, as the model itself makes it; plain values are codes with a scale of 1. */
interface Rows {
  readonly dimensions: number;
  /** `[tokens × dimensions]` */
  readonly codes: Int8Array | Float32Array;
  /** `[tokens]` */
  readonly scales: Float32Array;
}

function tableOf(rows: Rows): TokenTable {
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
function addFour({ codes, scales }: Rows, sum: Float32Array, { ids, count, first }: Columns): void {
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
