import { expect, it } from "vitest";
import type { EncodedVector, VectorEncoding } from "../../src/gateway/providers/embeddings.js";
import type { EmbeddingReply, Provider } from "../../src/gateway/providers/provider.js";

const NEVER = new AbortController().signal;
const TEXTS = ["the moth is in drawer nine", "good morning", "good morning"];

/** What every provider that makes embeddings promises. */
export function embeddingContract(name: string, open: () => Promise<Pick<Provider, "embed">>): void {
  const embed = async (
    input: string | readonly string[],
    encoding?: VectorEncoding,
    signal = NEVER,
  ): Promise<EmbeddingReply> => {
    const provider = await open();
    if (provider.embed === undefined) throw new Error(`${name} makes no embeddings`);
    const body = { input, ...(encoding === undefined ? {} : { encoding_format: encoding }) };
    return provider.embed({ upstreamModel: "vectors", body }, { signal });
  };

  it(`${name} returns one vector for each text, in order, as numbers by default`, async () => {
    const { vectors } = await embed(TEXTS);
    expect(vectors).toHaveLength(3);
    expect(vectors.flatMap(numbersOf).every(Number.isFinite)).toBe(true);
    expect(vectors[1]).toEqual(vectors[2]);
    expect(vectors[0]).not.toEqual(vectors[1]);
    expect((await embed(TEXTS[0] ?? "")).vectors).toEqual(vectors.slice(0, 1));
  });

  it(`${name} returns the same numbers as base64 of 32-bit floats`, async () => {
    const [numbers, texts] = [await embed(TEXTS, "float"), await embed(TEXTS, "base64")];
    for (const [index, text] of texts.vectors.entries()) {
      const bytes = Buffer.from(String(text), "base64");
      const decoded = numbersOf(numbers.vectors[index] ?? []).map((_, at) => bytes.readFloatLE(4 * at));
      expect(decoded).toEqual(numbersOf(numbers.vectors[index] ?? []).map(Math.fround));
      expect(bytes).toHaveLength(4 * decoded.length);
    }
  });

  it(`${name} rejects an aborted call with the signal's reason`, async () => {
    const gone = new Error("gone");
    await expect(embed(TEXTS, "float", AbortSignal.abort(gone))).rejects.toBe(gone);
  });
}

const numbersOf = (vector: EncodedVector): readonly number[] => {
  if (typeof vector === "string") throw new Error("numbers were asked for");
  return vector;
};
