import { describe, expect, it } from "vitest";
import { searchPrefix, vocabularyOf } from "../../../bench/quality/perturb/attacks.js";
import {
  addPoliteness,
  changeCase,
  mistypeLetters,
  mistypeWords,
} from "../../../bench/quality/perturb/rewordings.js";
import { OWN_REQUESTS, TRANSLATIONS } from "../../../bench/quality/perturb/translations.js";
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

  it("is the same for the same seed, changes nothing at rate 0, and everything at rate 1", () => {
    const typed = (share: number, seed: number) =>
      mistypeLetters("typing", { share, random: seededRandom(seed) });
    expect(typed(0.5, 3)).toBe(typed(0.5, 3));
    expect(typed(0, 3)).toBe("typing");
    expect(typed(1, 3)).not.toBe("typing");
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

describe("Rewording", () => {
  it("keeps the text itself within greetings and thanks", () => {
    const polite = Array.from({ length: 12 }, (_, number) => addPoliteness("2 + 2?", number));
    expect(new Set(polite).size).toBe(12);
    for (const wording of polite) expect(wording).toContain("2 + 2?");
  });

  it("alternates upper and lower case", () => {
    expect([changeCase("aB", 0), changeCase("aB", 1)]).toEqual(["AB", "ab"]);
  });

  it("has the same number of requests in every language, none of them left in English", () => {
    for (const translated of Object.values(TRANSLATIONS)) {
      expect(translated).toHaveLength(OWN_REQUESTS.length);
      translated.forEach((request, index) => {
        expect(request).not.toBe(OWN_REQUESTS[index]);
      });
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

  it("draws from distinct words of bounded length", () => {
    expect(vocabularyOf(["The same Same words, a word", "more words"], 3)).toEqual(["same", "words", "word"]);
  });
});
