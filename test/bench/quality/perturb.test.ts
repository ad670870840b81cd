import { describe, expect, it } from "vitest";
import { searchPrefix } from "../../../bench/quality/perturb/attacks.js";
import { mistypeWords } from "../../../bench/quality/perturb/rewordings.js";
import { seededRandom } from "../../../src/foundation/random.js";

const text = "The quick brown fox jumps over 13 lazy dogs, again and again. ".repeat(40);

describe("Typo perturbation", () => {
  it("of words changes the requested share of words, each by one typo", () => {
    const words = mistypeWords(text, { share: 0.05, random: seededRandom(1) }).split(" ");
    const originals = text.split(" ");
    expect(words).toHaveLength(originals.length);
    const broken = words.filter((word, index) => word !== originals[index]);
    expect(broken.length / originals.length).toBeGreaterThan(0.01);
    expect(broken.length / originals.length).toBeLessThan(0.09);
    for (const [index, word] of words.entries()) {
      expect(Math.abs(word.length - (originals[index]?.length ?? 0))).toBeLessThanOrEqual(1);
    }
  });
});

describe("The adversarial prefix search", () => {
  it("finds the words that maximise a score", async () => {
    const vocabulary = ["plain", "words", "expensive", "quiet"];
    const expensive = async (prefix: string) => prefix.split("expensive").length;
    const options = { vocabulary, random: seededRandom(1), words: 3, rounds: 200 };
    expect((await searchPrefix(expensive, options)).before).toBe("expensive expensive expensive\n\n");
  });
});
