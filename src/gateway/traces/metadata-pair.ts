/** A metadata key and its value in one text, as stores list them: the length of the key in characters, then both. */
export const metadataText = (key: string, value: string): string => `${[...key].length}:${key}${value}`;

/** The key and the value of such a text. */
export function metadataPair(text: string): { readonly key: string; readonly value: string } {
  const colon = text.indexOf(":");
  const characters = [...text.slice(colon + 1)];
  const length = Number(text.slice(0, colon));
  return { key: characters.slice(0, length).join(""), value: characters.slice(length).join("") };
}
