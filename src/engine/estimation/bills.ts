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
 * Agents of more expensive models cost more, by this power of the price, between .2 (issues, 34 models) and 1.2 (web tasks, 27); and those
 * of models that think more, by this power of the hidden tokens (.6 within 27 models at several efforts, three sources). Of five sources
 * left out, the typical factor by model is 1.4 to 2.1 (docs/decisions/answer-lengths.md).
 */
const POWER_OF_PRICE = 0.7;
const POWER_OF_THINKING = 0.5;
/** Agents of models that think less, or not at all, cost as much, since they call more often (guess). */
const LEAST_THINKING = 300;
const USUAL_THINKING = 1000;

/** The geometric mean of the prices of a prompt's and an answer's tokens, in dollars per million. */
export const middlePrice = ({ inputUsdPerMtok, outputUsdPerMtok }: TokenPrice): number =>
  Math.sqrt(inputUsdPerMtok * outputUsdPerMtok);

/** Factor on what a task of an agent costs, by the model's hidden tokens on a prompt of medium difficulty; 1 at 1,000. */
export const agentThinking = (thinkingTokens: number): number =>
  (Math.max(LEAST_THINKING, thinkingTokens) / USUAL_THINKING) ** POWER_OF_THINKING;

/** What a task costs a model of the set's mean, by its price and thinking. @param usual dollars at a price of $1 and 1,000 hidden tokens */
export const usualAgentUsd = (usual: number, price: TokenPrice, thinkingTokens: number): number =>
  usual * middlePrice(price) ** POWER_OF_PRICE * agentThinking(thinkingTokens);

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
