import { basename } from "node:path";

/** @throws Error that names the flag, its value and the remedy */
export function wholeNumber(
  flag: string,
  { text, least }: { readonly text: string; readonly least: number },
): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${flag} is "${text}"; write a whole number from ${least} on.`);
}

/** Folders are reduced to their last name, because results are read on other machines. */
export function describeCommand(suite: string, argv: readonly string[]): string {
  const words = argv.map((word) => (word.includes("/") ? `…/${basename(word)}` : word));
  return [`npm run bench -- ${suite}`, ...words].join(" ");
}
