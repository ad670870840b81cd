import type { AnswerLevels } from "./anchor-set.js";

/**
 * Hidden reasoning tokens at one effort, by difficulty in tiers, as multiples of those on a prompt of medium difficulty: 200, 250, 800,
 * 2,500 and 7,000 tokens at effort `high` (bullshit-benchmark @d2489cf7, LRMTokenEconomy @d5cc353c and Trick-question-bench @3c17b8ea,
 * 2026-11-23: a floor, then 2.5 to 3 times a tier).
 */
const HIDDEN_BY_TIER = [0.25, 0.3125, 1, 3.125, 8.75] as const;

/**
 * Factor on the hidden reasoning tokens of a model, which are known for prompts of medium difficulty.
 *
 * @param difficulty in tiers from 0 to 4; NaN = unknown
 */
export function hiddenFactor(difficulty: number): number {
  if (Number.isNaN(difficulty)) return 1;
  const last = HIDDEN_BY_TIER.length - 1;
  const tier = Math.min(last, Math.max(0, difficulty));
  const below = Math.min(last - 1, Math.floor(tier));
  const [from, to] = [HIDDEN_BY_TIER[below] as number, HIDDEN_BY_TIER[below + 1] as number];
  return from * (to / from) ** (tier - below);
}

/** Mean length of visible answers, in tokens, where no model of answer lengths has read the prompt (guess). */
export const TYPICAL_ANSWER_TOKENS = 375;

/**
 * Mean visible tokens of an answer of a model of verbosity 1: by the text of the prompt (`answerTokens`; absent when unknown), and by the
 * set's prompts near it (`answerRatio`), which count for nothing where it says itself how long the answer is to be. A set that was built without a model of answer lengths has ratios to the typical length.
 */
export const visibleTokens = (
  { expectedTokens }: Pick<AnswerLevels, "expectedTokens">,
  {
    answerTokens = TYPICAL_ANSWER_TOKENS,
    answerRatio,
    lengthIsAsked = false,
  }: {
    readonly answerTokens?: number | undefined;
    readonly answerRatio: number;
    readonly lengthIsAsked?: boolean;
  },
): number =>
  (expectedTokens === null ? TYPICAL_ANSWER_TOKENS : answerTokens) * (lengthIsAsked ? 1 : answerRatio);
