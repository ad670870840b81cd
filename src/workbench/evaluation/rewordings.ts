import { seededRandom } from "../../foundation/random.js";
import { mistypeLetters } from "./typos.js";

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
