import { costAt, encodeRatio, type TokenPrice } from "../estimation/bills.js";
import { hiddenFactor, TYPICAL_ANSWER_TOKENS } from "../estimation/expected-tokens.js";

/** What is known of the prompts that answers were billed for; all `[anchors]`. */
export interface BilledPrompts {
  readonly tokensIn: Float32Array;
  /** Mean visible tokens of answers by the text of the prompt; NaN for multiple choice, whose tokens are left out. */
  readonly answerTokens: Float32Array;
  /** log2 ratio of the visible lengths to it, NaN where none was measured. */
  readonly answerLevel: Float32Array;
  /** In tiers, NaN where unknown. */
  readonly difficulty: Float32Array;
  /** Whether the tokens of answers exclude hidden reasoning. */
  readonly countsVisible: (anchor: number) => boolean;
}

export interface BilledModel {
  readonly verbosity: number;
  readonly thinkingTokens: number;
  readonly price: TokenPrice;
}

/** The answers of a model, one a cell; NaN = unknown. */
interface Answers {
  readonly anchors: Uint32Array;
  readonly tokensOut: Float32Array;
  readonly tokensReasoning?: Float32Array;
  readonly costUsd: Float32Array;
}

/** Visible tokens of each answer; NaN where they are unknown: of a model that thinks, where hidden tokens are counted with them. */
export function tokensShown(
  { anchors, tokensOut, tokensReasoning }: Answers,
  {
    prompts,
    thinks,
  }: { readonly prompts: Pick<BilledPrompts, "answerTokens" | "countsVisible">; readonly thinks: boolean },
): Float32Array {
  return tokensOut.map((tokens, cell) => {
    const anchor = anchors[cell] as number;
    if (Number.isNaN(prompts.answerTokens[anchor] as number)) return Number.NaN;
    if (prompts.countsVisible(anchor)) return tokens;
    const hidden = tokensReasoning?.[cell] ?? Number.NaN;
    if (!Number.isNaN(hidden)) return Math.max(0, tokens - hidden);
    return thinks ? Number.NaN : tokens;
  });
}

/** Visible tokens that are expected of a model's answer to a prompt, by the lengths of other answers to it too. */
export function expectedVisible(
  { answerTokens, answerLevel }: Pick<BilledPrompts, "answerTokens" | "answerLevel">,
  { anchor, verbosity }: { readonly anchor: number; readonly verbosity: number },
): number {
  const byText = answerTokens[anchor] as number;
  const level = answerLevel[anchor] as number;
  return (
    (Number.isNaN(byText) ? TYPICAL_ANSWER_TOKENS : byText) *
    2 ** (Number.isNaN(level) ? 0 : level) *
    verbosity
  );
}

/**
 * Codes (`encodeRatio`) of what each answer was billed over what was to be expected: of dollars where they are recorded, else of tokens;
 * NaN where neither is known.
 */
export function billCodes(
  answers: Answers,
  { prompts, model }: { readonly prompts: BilledPrompts; readonly model: BilledModel },
): Float32Array {
  const { anchors, tokensOut, costUsd } = answers;
  const { verbosity, thinkingTokens, price } = model;
  return costUsd.map((dollars, cell) => {
    const anchor = anchors[cell] as number;
    const promptTokens = prompts.tokensIn[anchor] as number;
    const hidden = thinkingTokens * hiddenFactor(prompts.difficulty[anchor] as number);
    const visible = expectedVisible(prompts, { anchor, verbosity });
    const expected = costAt(price, { promptTokens, answerTokens: visible + hidden });
    if (!Number.isNaN(dollars)) return encodeRatio(dollars / expected);
    if (Number.isNaN(prompts.answerTokens[anchor] as number)) return Number.NaN;
    const counted = tokensOut[cell] as number;
    const answerTokens = prompts.countsVisible(anchor) ? counted + hidden : counted;
    return encodeRatio(costAt(price, { promptTokens, answerTokens }) / expected);
  });
}
