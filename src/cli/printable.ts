/** Texts of others on a terminal: names of keys and models, prompts, answers, what graders and providers say. */

/**
 * A text without what would make a terminal do things: control characters but line ends and tabs, and marks that turn the direction of
 * writing. They are written as JSON writes them, so that JSON stays what it was.
 */
export const printable = (text: string): string =>
  text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, harmless);

const harmless = (character: string): string =>
  character === "\n" || character === "\t" ? character : escaped(character);

/** The same on one line. */
export const printableLine = (text: string): string =>
  printable(text).replace(/[\n\t\u2028\u2029]/g, escaped);

const escaped = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
