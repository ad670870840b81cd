const MEANINGS = {
  right: "1 is a right answer",
  comparison: ".5 is as good as the reference",
  rating: "a tenth of a rating",
} as const;

/** What scores mean. A command's and a client's own count as `right`. */
export type ScoreScale = keyof typeof MEANINGS;

/** Says that scores of several scales are in one table; undefined for one scale, and where none is known. */
export function mixedScales(scales: Iterable<string>): string | undefined {
  const found = new Set(scales);
  const named = Object.entries(MEANINGS).filter(([scale]) => found.has(scale));
  if (named.length < 2) return undefined;
  return (
    `Scores of different scales are in one table (${named.map(([scale, meaning]) => `${scale}: ${meaning}`).join("; ")}), so that a lost answer ` +
    "counts more on one than on another. Compare with references by --judge-scale reference, or make a table of each scale."
  );
}
