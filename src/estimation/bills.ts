/** US dollars per million tokens. */
export interface TokenPrice {
  readonly inputUsdPerMtok: number;
  readonly outputUsdPerMtok: number;
}

/** In proportion to it are the costs of models without a list price: a third to a fifth is usual (guess). */
export const REFERENCE_PRICE: TokenPrice = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };

/** Dollars for a prompt and an answer at a price. */
export const costAt = (
  { inputUsdPerMtok, outputUsdPerMtok }: TokenPrice,
  { promptTokens, answerTokens }: { readonly promptTokens: number; readonly answerTokens: number },
): number => (inputUsdPerMtok * promptTokens + outputUsdPerMtok * answerTokens) / 1e6;

/**
 * What was billed is stored as the fourth root of its ratio to what was expected, times 256: one prompt that cost sixty times as much
 * then does not carry off the mean of its neighbours.
 */
const RATIO_UNIT = 256;

/** @param ratio ≥ 0, or NaN */
export const encodeRatio = (ratio: number): number => RATIO_UNIT * Math.sqrt(Math.sqrt(ratio));

export function decodeRatio(code: number): number {
  const root = code / RATIO_UNIT;
  return root * root * root * root;
}
