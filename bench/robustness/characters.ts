/** Ways to write the same text with other characters. */

/** Cyrillic and Greek letters that look like Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  ...{
    a: "а",
    c: "с",
    d: "ԁ",
    e: "е",
    h: "һ",
    i: "і",
    j: "ј",
    o: "о",
    p: "р",
    q: "ԛ",
    s: "ѕ",
    x: "х",
    y: "у",
  },
  ...{
    A: "А",
    B: "В",
    C: "С",
    E: "Е",
    H: "Н",
    I: "І",
    K: "К",
    M: "М",
    N: "Ν",
    O: "О",
    P: "Р",
    S: "Ѕ",
    T: "Т",
  },
  ...{ X: "Х", Y: "Ү", Z: "Ζ" },
};
const ZERO_WIDTH_SPACE = "\u200b";
/** From the ASCII character to its full-width form, U+FF01 to U+FF5E. */
const FULL_WIDTH_STEP = 0xfee0;

/** Every Latin letter that has a lookalike in another script, replaced by it. */
export function useLookalikes(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => LOOKALIKES[letter] ?? letter);
}

export function useFullWidth(text: string): string {
  return text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + FULL_WIDTH_STEP));
}

/** A zero-width space between every two letters of a word. */
export function insertZeroWidth(text: string): string {
  return text.replace(/(?<=\p{L})(?=\p{L})/gu, ZERO_WIDTH_SPACE);
}

/** Letters of a word parted by a space, words by three. */
export function spaceLetters(text: string): string {
  return text.replaceAll(" ", "   ").replace(/(?<=\p{L})(?=\p{L})/gu, " ");
}
