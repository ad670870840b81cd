/** Requests for embeddings, and vectors as they travel: OpenAI's form. */
import type { JsonObject } from "./chat.js";

/** A text, or the ids of its tokens. */
export type EmbeddingInput = string | readonly number[];

/** `base64`: the numbers as 32-bit floats, little-endian, in one text. */
export type VectorEncoding = "float" | "base64";

/** Body of a request without `model` and the fields that are ours alone. */
export interface EmbeddingBody extends JsonObject {
  readonly input: EmbeddingInput | readonly EmbeddingInput[];
  readonly encoding_format?: VectorEncoding;
}

/** A vector in the encoding that was asked for. */
export type EncodedVector = readonly number[] | string;

/** What the body asks for, one after the other: one text may come without a list around it. */
export function inputsOf({ input }: Pick<EmbeddingBody, "input">): readonly EmbeddingInput[] {
  return typeof input === "string" || isTokenList(input) ? [input] : input;
}

const isTokenList = (input: readonly (EmbeddingInput | number)[]): input is readonly number[] =>
  typeof input[0] === "number";

const BYTES_PER_NUMBER = 4;

export function encodeVector(vector: Float32Array, encoding: VectorEncoding): EncodedVector {
  return encoding === "float" ? [...vector] : base64Of(vector);
}

/**
 * A vector that came as JSON, in the encoding that is wanted, whichever it came in.
 *
 * @returns null when it is neither a list of numbers nor base64 of one
 */
export function recodeVector(vector: unknown, wanted: VectorEncoding): EncodedVector | null {
  if (Array.isArray(vector)) {
    if (vector.length === 0 || !vector.every((value) => Number.isFinite(value))) return null;
    return wanted === "float" ? vector : base64Of(vector);
  }
  if (typeof vector !== "string" || !isBase64(vector)) return null;
  const length = base64Bytes(vector);
  if (length === 0 || length % BYTES_PER_NUMBER !== 0) return null;
  if (wanted === "base64") return vector;
  const numbers = numbersIn(Buffer.from(vector, "base64"));
  return numbers.every((value) => Number.isFinite(value)) ? numbers : null;
}

function base64Of(vector: ArrayLike<number>): string {
  const bytes = Buffer.allocUnsafe(vector.length * BYTES_PER_NUMBER);
  for (let index = 0; index < vector.length; index++) {
    bytes.writeFloatLE(vector[index] ?? 0, index * BYTES_PER_NUMBER);
  }
  return bytes.toString("base64");
}

function numbersIn(bytes: Buffer): readonly number[] {
  return Array.from({ length: bytes.length / BYTES_PER_NUMBER }, (_, index) =>
    bytes.readFloatLE(index * BYTES_PER_NUMBER),
  );
}

/** Bytes that base64 stands for. */
function base64Bytes(text: string): number {
  const padding = text.indexOf("=");
  return Math.floor(((padding < 0 ? text.length : padding) * 3) / 4);
}

const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/]+={0,2}$/.test(text);
