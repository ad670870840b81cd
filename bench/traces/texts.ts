import { seededRandom } from "../../src/foundation/random.js";
import { logNormal, zipf } from "./draw.js";

const WORDS = 20_000;
/** As in running text: the commonest word is about every tenth. */
const EXPONENT = 1;
const SYLLABLES =
  "a be ca co de di el en er ex fa fi ga ge ha he i in is ka la le li lo ma me mi mo na ne ni no o on or pa per po pro ra re ri ro sa se si so sta ta te ti to tra u un va ve vi wa we";
const NON_ASCII = ["größe", "déjà", "naïve", "señor", "東京", "Привет", "🙂", "φιλία"];
/** One text in so many has words beyond ASCII, or is a long document. */
const NON_ASCII_EVERY = 20;
const LONG_EVERY = 1000;
const LONG = { median: 30_000, spread: 0.3 };

export interface TextOptions {
  readonly count: number;
  /** Characters of the text in the middle. */
  readonly median: number;
  /** Standard deviation of the logarithm of the length. */
  readonly spread: number;
  readonly seed: number;
}

/**
 * Texts of made-up words in the proportions of a language, with lengths that are log-normal: they compress about as well as
 * a real text, and no two are alike. Same options, same texts.
 */
export function makeTexts({ count, median, spread, seed }: TextOptions): string[] {
  const random = seededRandom(seed);
  const words = vocabulary();
  const draw = zipf(words.length, EXPONENT);
  return Array.from({ length: count }, (_, number) => {
    const length = number % LONG_EVERY === LONG_EVERY - 1 ? LONG : { median, spread };
    const units = Math.max(1, Math.round(logNormal(random, length)));
    const nonAscii = number % NON_ASCII_EVERY === NON_ASCII_EVERY - 1;
    return sentenceOf(units, () =>
      nonAscii && random() < 0.1
        ? (NON_ASCII[Math.floor(random() * NON_ASCII.length)] ?? "")
        : (words[draw(random)] ?? ""),
    );
  });
}

function sentenceOf(units: number, word: () => string): string {
  const words: string[] = [];
  for (let length = 0; length < units; ) {
    const next = word();
    words.push(next);
    length += next.length + 1;
  }
  // Half a character of two units is left out.
  return words
    .join(" ")
    .slice(0, units)
    .replace(/[\ud800-\udbff]$/, "");
}

/** The same for all texts: common words are short. */
function vocabulary(): string[] {
  const random = seededRandom(1);
  const syllables = SYLLABLES.split(" ");
  const words = new Set<string>();
  while (words.size < WORDS) {
    const length = 1 + Math.floor(random() * (1 + Math.log10(words.size + 10)));
    let word = "";
    for (let at = 0; at < length; at++) word += syllables[Math.floor(random() * syllables.length)] ?? "";
    words.add(word);
  }
  return [...words];
}
