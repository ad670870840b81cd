import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { anyText, HOSTILE_TEXTS } from "../engine/embedding/texts.js";

const RUNS = 40;

/** What every embedder promises. `open` makes a fresh one, the same model each time. */
export function embedderContract(name: string, open: () => Promise<Embedder>): void {
  describe(`${name}, as an embedder,`, () => {
    let embedder: Embedder;
    beforeAll(async () => {
      embedder = await open();
    });
    afterAll(() => embedder.close());

    it("has a name, a fingerprint and dimensions that are the same each time it is opened", async () => {
      expect(embedder.id).not.toBe("");
      expect(embedder.fingerprint).toMatch(/^[0-9a-f]{64}$/);
      expect(embedder.dimensions).toBeGreaterThan(0);
      const again = await open();
      expect(again).toMatchObject({ id: embedder.id, fingerprint: embedder.fingerprint });
      await again.close();
    });

    it("returns one vector of unit length, or of zeros, for any text", async () => {
      for (const text of Object.values(HOSTILE_TEXTS))
        expectUnitOrZero(await one(embedder, text), embedder.dimensions);
      await fc.assert(
        fc.asyncProperty(anyText, async (text) => {
          expectUnitOrZero(await one(embedder, text), embedder.dimensions);
        }),
        { numRuns: RUNS, seed: 1 },
      );
    });

    it("returns nothing for no texts, and zeros for an empty text, alone and among others", async () => {
      expect(await embedder.embed([])).toEqual([]);
      const zeros = new Float32Array(embedder.dimensions);
      expect(await embedder.embed([""])).toEqual([zeros]);
      const [first, second, third] = await embedder.embed(["", "fox", ""]);
      expect([first, third]).toEqual([zeros, zeros]);
      expect(second).not.toEqual(zeros);
    });

    it("returns the same vectors for a batch, in order, as one by one", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyText, { maxLength: 12 }), async (texts) => {
          const batch = await embedder.embed(texts);
          expect(batch).toHaveLength(texts.length);
          for (const [index, text] of texts.entries()) expectClose(batch[index], await one(embedder, text));
        }),
        { numRuns: RUNS / 4, seed: 1 },
      );
    });

    it("keeps concurrent calls apart", async () => {
      const texts = ["the quick brown fox", "return list", "a", "jumps over the lazy dog", ""];
      const together = await Promise.all(texts.map((text) => one(embedder, text)));
      for (const [index, text] of texts.entries()) expectClose(together[index], await one(embedder, text));
    });

    it("returns vectors that do not share memory", async () => {
      const [first, second] = await embedder.embed(["fox", "dog"]);
      const before = second?.slice();
      first?.fill(7);
      expect(second).toEqual(before);
      expect(first?.byteLength).toBe(first?.buffer.byteLength);
    });

    it("rejects with the signal's reason when it is aborted before or during a call, and continues to work", async () => {
      const texts = Array.from({ length: 500 }, (_, n) => `fox ${n}`);
      const signal = AbortSignal.abort(new Error("changed my mind"));
      await expect(embedder.embed(texts, { signal })).rejects.toThrow("changed my mind");
      const controller = new AbortController();
      const pending = embedder.embed(texts, controller);
      controller.abort(new Error("too late"));
      await expect(pending).rejects.toThrow("too late");
      expectUnitOrZero(await one(embedder, "fox"), embedder.dimensions);
    });

    it("resolves or rejects pending calls before it is closed", async () => {
      const own = await open();
      const pending = own.embed(["fox"]).then(
        ([vector]) => vector?.length,
        (error: Error) => error.message,
      );
      await own.close();
      const answer = await pending;
      if (answer !== embedder.dimensions) expect(answer).toMatch(/closed/);
    });

    it("can be closed twice, and refuses to embed afterwards", async () => {
      const own = await open();
      await Promise.all([own.close(), own.close()]);
      await own.close();
      await expect(own.embed(["fox"])).rejects.toThrow(/closed/);
    });
  });
}

async function one(embedder: Embedder, text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text]);
  if (vector === undefined) throw new Error("no vector came back");
  return vector;
}

function expectUnitOrZero(vector: Float32Array, dimensions: number): void {
  expect(vector).toBeInstanceOf(Float32Array);
  expect(vector).toHaveLength(dimensions);
  const norm = Math.hypot(...vector);
  if (norm !== 0) expect(norm).toBeCloseTo(1, 4);
}

function expectClose(actual: Float32Array | undefined, expected: Float32Array): void {
  const differences = expected.map((value, at) => Math.abs(value - (actual?.[at] ?? 9)));
  expect(Math.max(...differences)).toBeLessThan(1e-5);
}
