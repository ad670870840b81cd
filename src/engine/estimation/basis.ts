/**
 * Kinds of evidence that a profile has: graded answers (`measured`); published scores or only the model's description
 * (`placed`); or graded answers and published scores (`both`).
 */
export const BASES = ["measured", "placed", "both"] as const;
export type Basis = (typeof BASES)[number];

/** @param profile the number of its graded answers and its published scores */
export function basisOf(profile: { readonly scored: number; readonly published: readonly unknown[] }): Basis {
  if (profile.scored === 0) return "placed";
  return profile.published.length === 0 ? "measured" : "both";
}

/** The combined basis of several profiles of one model. @param bases at least one */
export function jointBasis([first, ...rest]: readonly [Basis, ...Basis[]]): Basis {
  return rest.every((basis) => basis === first) ? first : "both";
}
