/**
 * A text is cut to this many UTF-16 units per token of the model's limit before it is tokenised, so that a megabyte costs
 * no more than its beginning. English has 4–5 units per token.
 */
export const UNITS_PER_TOKEN = 8;

/** The first `maxUnits` UTF-16 units, one less where that would part a surrogate pair. */
export function cutText(text: string, maxUnits: number): string {
  if (text.length <= maxUnits) return text;
  const last = text.charCodeAt(maxUnits - 1);
  const partsPair = last >= 0xd800 && last < 0xdc00;
  return text.slice(0, partsPair ? maxUnits - 1 : maxUnits);
}
