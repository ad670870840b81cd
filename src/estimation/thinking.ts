/**
 * Factor on a model's reasoning tokens for each tier of difficulty (guess, within a factor of two of the sets with
 * hidden tokens).
 */
const THINKING_PER_TIER = 2.5;
const MEDIUM_TIER = 2;

/**
 * Factor on the hidden reasoning tokens of a model, which are known for prompts of medium difficulty.
 *
 * @param difficulty in tiers from 0 to 4; NaN = unknown
 */
export const thinkingFactor = (difficulty: number): number =>
  Number.isNaN(difficulty) ? 1 : THINKING_PER_TIER ** (difficulty - MEDIUM_TIER);
