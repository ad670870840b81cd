import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Tokenizer } from "@huggingface/tokenizers";

/**
 * The embedder ROUTING.md compares with: mean of the token rows, unit norm.
 *
 * @param folder with `token-table.f16.npy` [vocabulary, dimensions] and `tokenizer.json`
 */
export async function openTrialEmbedder(
  folder: string,
): Promise<(texts: readonly string[]) => Float32Array[]> {
  const table = parseHalfFloatTable(await readFile(join(folder, "token-table.f16.npy")));
  const json: unknown = JSON.parse(await readFile(join(folder, "tokenizer.json"), "utf8"));
  const tokenizer = new Tokenizer(json as object, {});
  return (texts) => texts.map((text) => meanRow(tokenizer.encode(text).ids, table));
}

interface TokenTable {
  readonly dimensions: number;
  /** `[vocabulary × dimensions]` */
  readonly values: Float32Array;
}

/** Reads NumPy's format, version 1.0, little-endian half floats in C order. */
function parseHalfFloatTable(bytes: Buffer): TokenTable {
  const headerLength = bytes.readUInt16LE(8);
  const header = bytes.toString("latin1", 10, 10 + headerLength);
  const shape = /'descr': '<f2', 'fortran_order': False, 'shape': \((\d+), (\d+)\)/.exec(header);
  if (shape === null) throw new Error(`token-table.f16.npy is not a table of half floats: ${header.trim()}`);
  const dimensions = Number(shape[2]);
  const values = new Float32Array(Number(shape[1]) * dimensions);
  for (let index = 0; index < values.length; index++) {
    values[index] = fromHalf(bytes.readUInt16LE(10 + headerLength + 2 * index));
  }
  return { dimensions, values };
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function meanRow(ids: readonly number[], { dimensions, values }: TokenTable): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const id of ids) {
    for (let d = 0; d < dimensions; d++) sums[d] = (sums[d] ?? 0) + (values[id * dimensions + d] ?? 0);
  }
  const norm = Math.hypot(...sums);
  return Float32Array.from(sums, (sum) => (norm === 0 ? 0 : sum / norm));
}
