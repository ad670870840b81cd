import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPromptFeatures } from "../../../src/engine/estimation/prompt-features.js";
import { anyText } from "../embedding/texts.js";
import { expectedTexts, SHIPPED_DIFFICULTY } from "./shipped-difficulty.js";

const features = createPromptFeatures({
  proof: ["prove", "step by step", "证明"],
  greeting: ["hi$", "hi there"],
});

/** The features of a text by name. */
function featuresOf(text: string): Record<string, number> {
  const values = features.of(text);
  return Object.fromEntries(features.names.map((name, at) => [name, values[at] ?? Number.NaN]));
}

/** What a feature that is a logarithm has counted. */
function countOf(text: string, feature: string): number {
  return Math.round(Math.expm1(featuresOf(text)[feature] ?? Number.NaN));
}

describe("The features of a prompt", () => {
  const { stems } = JSON.parse(readFileSync(SHIPPED_DIFFICULTY, "utf8"));
  const shipped = createPromptFeatures(stems);
  const { names, texts } = expectedTexts();

  it("have the names used in training", () => {
    expect(shipped.names).toEqual(names);
  });

  it.each(texts.map((row) => [JSON.stringify(row.text.slice(0, 40)), row] as const))(
    "equal those of training for %s",
    (_, row) => {
      const found = shipped.of(row.text);
      expect(found).toHaveLength(row.features.length);
      for (const [at, value] of row.features.entries()) expect(found[at], names[at]).toBeCloseTo(value, 9);
    },
  );

  it("are all 0 for the empty text", () => {
    expect(Object.values(featuresOf("")).every((value) => value === 0)).toBe(true);
  });

  it("are finite for any text, including lone surrogates", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(shipped.of(text).every(Number.isFinite)).toBe(true);
      }),
    );
  });

  it.each([
    [
      "a stem at the beginning of a word only, in any case",
      "PROVE it, he proved, we improve",
      "stems_proof",
      2,
    ],
    ["the longest of several stems", "hi there, hi!", "stems_greeting", 2],
    ["a stem that is a word only as a whole word", "hide the hill, hi", "stems_greeting", 1],
    ["a stem that is a word only as a whole word", "hi5", "stems_greeting", 0],
    ["a stem of a script without word separators anywhere", "请你证明并再次证明", "stems_proof", 2],
    ["no stem in a quotation", "Translate: 'Prove that there is no largest prime.'", "stems_proof", 0],
    ["no stem in material", "Sum up.\n\nThey prove it twice, and a third proof is shown.", "stems_proof", 0],
    ["no stem far from the two ends", `${"x".repeat(400)} prove ${"x".repeat(400)}`, "stems_proof", 0],
    ["stems near the two ends", `Prove ${"x".repeat(800)} prove`, "stems_proof", 2],
    ["sentences, not decimal points", "Open main.ts at 3.14. Why?! Because. 好。好 Really", "sentences", 4],
    [
      "items of a list, not hyphens",
      "- one - two\n* three\n  12. four\n5) five\n-six\n7 eight",
      "list_items",
      4,
    ],
    [
      "numbers of the two ends",
      `${"1 ".repeat(1530)}${" ".repeat(100_000)}${"1 ".repeat(500)}`,
      "numbers",
      2030,
    ],
    ["no numbers in the middle", `${" ".repeat(4000)}1${" ".repeat(4000)}`, "numbers", 0],
  ])("count %s", (_, text, feature, count) => {
    expect(countOf(text, feature)).toBe(count);
  });

  it("weigh letters of dense scripts, and say what is cut", () => {
    expect(featuresOf("设".repeat(600)).length).toBe(featuresOf("a".repeat(1600)).length);
    expect([featuresOf("a".repeat(4097)).is_cut, featuresOf("a".repeat(4096)).is_cut]).toEqual([1, 0]);
  });
});
