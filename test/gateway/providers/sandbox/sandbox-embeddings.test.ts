import { describe, expect, it } from "vitest";
import { sandboxEmbeddings } from "../../../../src/gateway/providers/sandbox/sandbox-embeddings.js";
import { sandbox } from "../../../../src/gateway/providers/sandbox/sandbox-provider.js";
import { embeddingContract } from "../../../contracts/embeddings.contract.js";

const vectorsOf = (input: string | readonly string[] | readonly number[], more: object = {}) =>
  sandboxEmbeddings({ body: { input, ...more } }).vectors as readonly (readonly number[])[];
const dot = (left: readonly number[] = [], right: readonly number[] = []) =>
  left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);

describe("Embeddings of the sandbox", () => {
  embeddingContract("the sandbox", async () => sandbox("sandbox"));

  it("have unit length and the requested dimensions", () => {
    for (const dimensions of [1, 64, 3072]) {
      const [vector] = vectorsOf("a", { dimensions });
      expect(vector).toHaveLength(dimensions);
      expect(dot(vector, vector)).toBeCloseTo(1);
    }
    expect(vectorsOf("a b c")[0]).toHaveLength(256);
  });

  it("are similar for texts that share words", () => {
    const texts = ["the moth in the drawer", "The drawer with moth", "bread and jam"];
    const [moth, same, other] = vectorsOf(texts);
    expect(dot(moth, same)).toBeGreaterThan(dot(moth, other));
  });

  it("count a word, or the id of a token, as one token", () => {
    expect(sandboxEmbeddings({ body: { input: ["two words", "one"] } }).usage?.promptTokens).toBe(3);
    expect(sandboxEmbeddings({ body: { input: [7, 8] } }).usage?.promptTokens).toBe(2);
  });

  it("with too many dimensions are refused", () => {
    expect(() => vectorsOf("a", { dimensions: 4000 })).toThrow("`dimensions` is 4000");
  });
});
