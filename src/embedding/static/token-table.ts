import { EmbedderLoadError } from "../load-error.js";
import type { OnnxSession } from "./onnx-session.js";

/**
 * The rows of a static model, f32 [tokens, dimensions], read out of it once through the ONNX runtime. A static model is
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

/**
 * @param tokens.largestId largest id the tokenizer can produce
 * @param tokens.path of the model, for messages
 * @throws EmbedderLoadError when a token has no row, padding is not zero, or the model does more than sum its rows
 */
export async function readTokenTable(
  session: OnnxSession,
  tokens: { readonly largestId: number; readonly path: string },
): Promise<TokenTable> {
  const rows = await readRows(session, tokens);
  const table = tableOf(rows, session.dimensions);
  if (rows.subarray(0, session.dimensions).some((value) => value !== 0)) {
    throw new EmbedderLoadError(
      `${tokens.path}: token 0 is padding and must yield a zero vector, but does not`,
    );
  }
  await checkSums(session, table, tokens);
  return table;
}

async function readRows(
  session: OnnxSession,
  { largestId, path }: { readonly largestId: number; readonly path: string },
): Promise<Float32Array> {
  const rows = new Float32Array((largestId + 1) * session.dimensions);
  for (let first = 0; first <= largestId; first += TOKENS_PER_RUN) {
    const count = Math.min(TOKENS_PER_RUN, largestId + 1 - first);
    const ids = BigInt64Array.from({ length: count }, (_, place) => BigInt(first + place));
    try {
      rows.set(await session.rows(ids), first * session.dimensions);
    } catch (cause) {
      throw new EmbedderLoadError(
        `${path} has no row for token ${largestId}, which tokenizer.json can produce`,
        {
          cause,
        },
      );
    }
  }
  return rows;
}

/** A model that weighs or transforms its rows would be misread as a table; it is refused instead. */
async function checkSums(
  session: OnnxSession,
  table: TokenTable,
  { largestId, path }: { readonly largestId: number; readonly path: string },
): Promise<void> {
  const count = Math.min(CHECKED_TOKENS, largestId);
  const ids = Int32Array.from({ length: count }, (_, place) => 1 + Math.floor((place * largestId) / count));
  const expected = await session.run(BigInt64Array.from(ids, BigInt), 1);
  const found = table.unitSum(ids, count);
  if (found.every((value, d) => Math.abs(value - (expected[d] ?? Number.NaN)) < TOLERANCE)) return;
  throw new EmbedderLoadError(
    `${path} is no static model: its sentence_embedding is not the unit vector of the sum of its rows. ` +
      'Remove the "sextant" block from config.json to open it as a transformer.',
  );
}

function tableOf(rows: Float32Array, dimensions: number): TokenTable {
  return {
    dimensions,
    unitSum(ids, count) {
      const sum = new Float32Array(dimensions);
      let first = 0;
      for (; first + 4 <= dimensions; first += 4) addFour(rows, sum, { ids, count, first });
      for (; first < dimensions; first++) {
        let total = 0;
        for (let place = 0; place < count; place++)
          total += rows[(ids[place] as number) * dimensions + first] as number;
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
function addFour(rows: Float32Array, sum: Float32Array, { ids, count, first }: Columns): void {
  const dimensions = sum.length;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let place = 0; place < count; place++) {
    const at = (ids[place] as number) * dimensions + first;
    a += rows[at] as number;
    b += rows[at + 1] as number;
    c += rows[at + 2] as number;
    d += rows[at + 3] as number;
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
