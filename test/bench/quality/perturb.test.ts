import { describe, expect, it } from "vitest";
import { searchPrefix } from "../../../bench/quality/perturb/attacks.js";
import { mistypeLetters, mistypeWords } from "../../../bench/quality/perturb/rewordings.js";
import { seededRandom } from "../../../src/foundation/random.js";

const text = "The quick brown fox jumps over 13 lazy dogs, again and again. ".repeat(40);

describe("Typo perturbation", () => {
  it("changes letters only, at about the requested rate", () => {
    const typed = mistypeLetters(text, { share: 0.05, random: seededRandom(1) });
    expect(typed).not.toBe(text);
    expect(typed.match(/[0-9.,]/g)).toEqual(text.match(/[0-9.,]/g));
    // Each typo changes the length by one or none, and breaks the word it is in.
    const words = text.split(" ");
    const intact = typed.split(" ").filter((word, index) => word === words[index]).length;
    expect(intact / words.length).toBeGreaterThan(0.7);
    expect(intact / words.length).toBeLessThan(0.95);
  });

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
