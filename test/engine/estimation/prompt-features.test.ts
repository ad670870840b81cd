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

  it("count a stem at the beginning of a word only, in any case, and the longest of several", () => {
    expect(countOf("PROVE it, he proved, we improve", "stems_proof")).toBe(2);
    expect(countOf("Step by  step, step by step", "stems_proof")).toBe(1);
    expect(countOf("hi there, hi!", "stems_greeting")).toBe(2);
  });

  it("count a stem that is a whole word only as a whole word", () => {
    expect(countOf("hide the hill, hi", "stems_greeting")).toBe(1);
    expect(countOf("hi5", "stems_greeting")).toBe(0);
  });

  it("count a stem of a script without word separators anywhere", () => {
    expect(countOf("请你证明并再次证明", "stems_proof")).toBe(2);
  });

  it("distinguish sentences from decimal points and file names", () => {
    expect(countOf("Open main.ts at 3.14. Why?! Because. 好。好 Really", "sentences")).toBe(4);
  });

  it("count the items of a list, and not hyphens or numbers elsewhere", () => {
    expect(countOf("Do:\n- one - two\n* three\n  12. four\n5) five\n-six\n7 eight", "list_items")).toBe(4);
  });

  it("count non-empty lines", () => {
    expect(countOf("one\r\n\n  \ntwo\n", "lines")).toBe(2);
  });

  it("count stems near the two ends of a text, where the instruction is", () => {
    const material = "They prove it. ".repeat(100);
    expect(countOf(`${"x".repeat(400)} prove ${"x".repeat(400)}`, "stems_proof")).toBe(0);
    expect(countOf(`Prove ${"x".repeat(800)} prove`, "stems_proof")).toBe(2);
    expect(countOf(material, "stems_proof")).toBeLessThanOrEqual(600 / 15 + 2);
  });

  it("count stems in the asked part, and not in its material", () => {
    expect(countOf("Translate: 'Prove that there is no largest prime.'", "stems_proof")).toBe(0);
    expect(countOf("Sum up.\n\nThey prove it twice, and a third proof is shown.", "stems_proof")).toBe(0);
    expect(countOf("They met again in the hall on Monday.\n\nProve it.", "stems_proof")).toBe(1);
  });

  it("distinguish the length of the asked part from that of its material", () => {
    const text = "Sum up, please.\n\nThe committee met on Tuesday and agreed on the menu.";
    expect(countOf(text, "asked_length")).toBe(15);
    expect(countOf(text, "asked_words")).toBe(3);
    expect(countOf(text, "asked_separators")).toBe(1);
    expect(countOf(text, "material")).toBe(text.length - 15);
  });

  it("cap length and words at 1,500 and 270", () => {
    expect(countOf("a ".repeat(740), "length")).toBe(1480);
    expect(countOf("a ".repeat(7400), "length")).toBe(1500);
    expect(countOf("a ".repeat(7400), "words")).toBe(270);
    expect(featuresOf("设".repeat(600)).length).toBe(featuresOf("a".repeat(1600)).length);
  });

  it("use the two ends of a text of more than 4,096 UTF-16 units", () => {
    const long = `${"1 ".repeat(1530)}${" ".repeat(100_000)}${"1 ".repeat(500)}`;
    expect(countOf(long, "numbers")).toBe(1530 + 500);
    expect(countOf(`${" ".repeat(4000)}1${" ".repeat(4000)}`, "numbers")).toBe(0);
    expect([featuresOf(long).is_cut, featuresOf("a".repeat(4096)).is_cut]).toEqual([1, 0]);
  });
});
