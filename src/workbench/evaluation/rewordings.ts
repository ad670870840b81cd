import { seededRandom } from "../../foundation/random.js";

/** Ways to write a prompt differently that leave its task as it is. */
export const REWORDING_KINDS = ["typos", "case", "spaces", "polite", "order"] as const;
export type RewordingKind = (typeof REWORDING_KINDS)[number];

/** Of the letters: one typo in some four words. */
const TYPO_SHARE = 0.05;

const BEFORE = [
  "Hi there! Could you please help me with this? ",
  "Hello, I hope you are doing well. I have a question for you:\n\n",
  "Please answer the following as well as you can.\n\n",
  "Good morning! ",
] as const;
const AFTER = ["", " Thank you very much in advance!", "\n\nThanks!"] as const;

/** A greeting, a request or thanks around the text, one of twelve ways by its number. */
export function addPoliteness(text: string, number: number): string {
  const before = BEFORE[number % BEFORE.length] ?? "";
  const after = AFTER[Math.floor(number / BEFORE.length) % AFTER.length] ?? "";
  return before + text + after;
}

/**
 * Other wordings of a text, made from it alone: the same seed gives the same ones. A kind that would leave the text as it is, such as
 * the order of a single sentence, is left out.
 */
export function rewordingsOf(
  text: string,
  { seed }: { readonly seed: number },
): readonly { readonly kind: RewordingKind; readonly text: string }[] {
  const random = seededRandom(seed);
  const number = Math.floor(random() * BEFORE.length * AFTER.length);
  const wordings: Readonly<Record<RewordingKind, string>> = {
    typos: mistyped(text, random),
    case: text.toLowerCase().replaceAll(/[.!?]+(?=\s*$)/g, ""),
    spaces: text.replaceAll(/([.!?])[ \t]+/g, "$1\n").replaceAll(/ (?=\S)/g, "  "),
    polite: addPoliteness(text, number),
    order: lastSentenceFirst(text),
  };
  return REWORDING_KINDS.flatMap((kind) =>
    wordings[kind] === text || wordings[kind].trim() === "" ? [] : [{ kind, text: wordings[kind] }],
  );
}

const MOST_TRIES = 20;

/** With a typo at least, where the text has letters: most short texts would get none. */
function mistyped(text: string, random: () => number): string {
  let typed = text;
  for (let tries = 0; typed === text && tries < MOST_TRIES; tries++)
    typed = mistypeLetters(text, { share: TYPO_SHARE, random });
  return typed;
}

/** Longer texts are material, whose order means something. */
const MOST_SENTENCES = 6;
const SENTENCE_END = /(?<=[.!?。！？])\s+/u;

/** The last sentence before the others; the text itself where it is one sentence, a document, or has lines, such as code. */
function lastSentenceFirst(text: string): string {
  const sentences = text.trim().split(SENTENCE_END);
  if (sentences.length < 2 || sentences.length > MOST_SENTENCES || text.trim().includes("\n")) return text;
  return [sentences.at(-1), ...sentences.slice(0, -1)].join(" ");
}

/** Neighbours on a QWERTY keyboard. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  ...{ q: "wa", w: "qes", e: "wrd", r: "etf", t: "ryg", y: "tuh", u: "yij", i: "uok", o: "ipl", p: "ol" },
  ...{ a: "qsz", s: "adw", d: "sfe", f: "dgr", g: "fht", h: "gjy", j: "hku", k: "jli", l: "ko" },
  ...{ z: "asx", x: "zcd", c: "xvf", v: "cbg", b: "vnh", n: "bmj", m: "nk" },
};

export interface TypoOptions {
  /** Of the letters, in [0, 1]. */
  readonly share: number;
  readonly random: () => number;
}

/** Each letter is mistyped with the same probability: left out, doubled, swapped with the next, or hit beside. */
export function mistypeLetters(text: string, { share, random }: TypoOptions): string {
  const letters = [...text];
  let typed = "";
  let index = 0;
  while (index < letters.length) {
    const letter = letters[index] as string;
    if (!/\p{L}/u.test(letter) || random() >= share) {
      typed += letter;
      index += 1;
    } else {
      const typo = mistype(letter, letters[index + 1], random);
      typed += typo.typed;
      index += typo.letters;
    }
  }
  return typed;
}

/** One typo: what is written, and how many of the letters it stands for. */
export function mistype(
  letter: string,
  next: string | undefined,
  random: () => number,
): { readonly typed: string; readonly letters: number } {
  const kind = Math.floor(random() * 4);
  if (kind === 0) return { typed: "", letters: 1 };
  if (kind === 1) return { typed: letter + letter, letters: 1 };
  if (kind === 2 && next !== undefined) return { typed: next + letter, letters: 2 };
  return { typed: beside(letter, random), letters: 1 };
}

function beside(letter: string, random: () => number): string {
  const near = NEIGHBOURS[letter.toLowerCase()] ?? letter;
  const hit = near[Math.floor(random() * near.length)] ?? letter;
  return letter === letter.toLowerCase() ? hit : hit.toUpperCase();
}
