import { mistype, type TypoOptions } from "../../../src/workbench/evaluation/rewordings.js";

/** All letters in upper or all in lower case, in turn. */
export function changeCase(text: string, number: number): string {
  return number % 2 === 0 ? text.toUpperCase() : text.toLowerCase();
}

/** Each word of at least three letters gets one typo with the same probability. @param options.share of the words */
export function mistypeWords(text: string, { share, random }: TypoOptions): string {
  return text.replace(/\p{L}{3,}/gu, (word) => {
    if (random() >= share) return word;
    const letters = [...word];
    const index = Math.floor(random() * letters.length);
    const typo = mistype(letters[index] as string, letters[index + 1], random);
    return letters.toSpliced(index, typo.letters, typo.typed).join("");
  });
}
