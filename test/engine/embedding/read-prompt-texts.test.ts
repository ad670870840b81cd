import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { openEmbedder } from "../../../src/engine/embedding/open-embedder.js";
import { readPromptTexts } from "../../../src/engine/embedding/read-prompt-texts.js";
import { SHIPPED_MODEL } from "./tiny-model.js";

let embedder: Embedder;
beforeAll(async () => {
  embedder = await openEmbedder(SHIPPED_MODEL, { cacheDir: "" });
});
afterAll(() => embedder.close());

const ISSUE = `"${"Sorting a frame with equal keys is not stable when the index has gaps, as the log shows. ".repeat(6)}"`;
const dot = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, at) => sum + value * (b[at] as number), 0);

describe("The reading of a prompt", () => {
  it("has the embedder's vector where all of the text is what it asks", async () => {
    const text = "Explain how a heat pump works.";
    const [reading] = await readPromptTexts(embedder, [text]);
    const [vector] = await embedder.embed([text]);
    expect(reading?.vector).toEqual(vector);
  });

  it("tells prompts apart by what they ask of the same material", async () => {
    const texts = [`Translate into German: ${ISSUE}`, `Write unit tests for this bug: ${ISSUE}`];
    const [a, b] = (await readPromptTexts(embedder, texts)).map(({ vector }) => vector) as [
      Float32Array,
      Float32Array,
    ];
    const [plainA, plainB] = (await embedder.embed(texts)) as [Float32Array, Float32Array];
    expect(dot(a, a)).toBeCloseTo(1, 5);
    expect(dot(a, b)).toBeLessThan(dot(plainA, plainB) - 0.1);
  });

  it("reads prompts in batches as one at a time, however they are typed", async () => {
    const texts = ["Say hi.", `Summarise this: ${ISSUE}`, "", `SUMMARISE\u200b THIS: ${ISSUE}`];
    const together = await readPromptTexts(embedder, texts);
    const alone = await Promise.all(texts.map(async (text) => (await readPromptTexts(embedder, [text]))[0]));
    expect(together).toEqual(alone);
    expect(together[2]?.vector.every((value) => value === 0)).toBe(true);
  });

  it("is that of the request, however it is greeted, and stays near it when mistyped", async () => {
    const asked = "Explain how a heat pump works, and what to check before winter.";
    const polite = `Good morning, I hope you are well.\n\n${asked}\n\nMany thanks!`;
    const mistyped = "Expalin how a heat pmup wroks, and whatt to chekc befroe wintr.";
    const [own, greeted, typed, other] = await readPromptTexts(embedder, [
      ...[asked, polite, mistyped],
      "Write a poem about the sea at night.",
    ]);
    expect(greeted).toEqual(own);
    const near = (reading = own) => dot(own?.vector as Float32Array, reading?.vector as Float32Array);
    expect(near(typed)).toBeGreaterThan(0.7);
    expect(near(other)).toBeLessThan(0.4);
  });

  it("embeds each distinct prompt once", async () => {
    const embedded: string[] = [];
    const counting: Pick<Embedder, "embed"> = {
      embed: (texts, options) => {
        embedded.push(...texts);
        return embedder.embed(texts, options);
      },
    };
    const texts = ["Say hi.", "Say bye.", "Say hi."];
    const together = await readPromptTexts(counting, texts);
    expect(embedded).toEqual(["Say hi.", "Say bye."]);
    expect(together.map(({ text }) => text)).toEqual(texts);
    expect(together[2]?.vector).toEqual(together[0]?.vector);
  });
});
