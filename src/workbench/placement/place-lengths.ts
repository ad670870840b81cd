import type { ModelDescription } from "../../engine/catalog/model-description.js";
import {
  billCodes,
  expectedVisible,
  hiddenFactor,
  TYPICAL_ANSWER_TOKENS,
  thinkingGuess,
} from "../../engine/index.js";
import type { BilledPrompts } from "../../engine/profiles/bill-codes.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { Abilities } from "../fitting/abilities-file.js";
import {
  type FittedLengths,
  shrunkByAnswers,
  ThinkingRatios,
  termsOf,
  USUAL_BILL,
  verbosityOfFamily,
} from "../fitting/answer-lengths.js";
import type { ModelOutcomes } from "../fitting/outcome-table.js";
import type { PlaceableSet } from "./placeable-set.js";

export interface LengthInput {
  readonly set: Pick<PlaceableSet, "facts" | "abilities">;
  readonly outcomes: ModelOutcomes;
  readonly description: ModelDescription;
  /** Profile and description of the model it is like. */
  readonly like: { readonly profile: ModelProfile; readonly thinking: string | null } | undefined;
}

/** How long the model's answers are and what they are billed: as those of the model it is like, else of its family; and its own answers. */
export function placeLengths(
  input: LengthInput,
): Pick<FittedLengths, "verbosity" | "thinkingTokens" | "bills"> {
  const { set, outcomes, description, like } = input;
  const { facts, abilities } = set;
  const prompts = promptsOf(facts);
  const verbosity = like?.profile.facts.verbosity ?? verbosityOfFamily(description.family);
  const sameThinking = like !== undefined && like.thinking === description.thinking;
  const guess = sameThinking ? like.profile.facts.thinking_tokens : guessOf(description, abilities);
  const thinkingTokens =
    guess === 0 ? 0 : correctedThinking(guess, { outcomes, prompts, verbosity, sourceOf: facts.source });
  const terms = termsOf(outcomes.costUsd, description.listPrice ?? null);
  const codes = billCodes(outcomes, { prompts, model: { verbosity, thinkingTokens, price: terms.price } });
  const level = facts.level_bill ?? new Float32Array(facts.level_quality.length).fill(USUAL_BILL);
  const known = [...codes].flatMap((code, cell) =>
    Number.isNaN(code) ? [] : [Math.log2(1 + code) - (level[outcomes.anchors[cell] as number] as number)],
  );
  const ofLike = like?.profile.facts.bill?.ability ?? 0;
  const mean = known.reduce((sum, effect) => sum + effect, 0) / Math.max(1, known.length);
  const ability = ofLike + shrunkByAnswers(mean - ofLike, known.length);
  return {
    verbosity: Float64Array.of(verbosity),
    thinkingTokens: Float64Array.of(thinkingTokens),
    bills: {
      codes: [codes],
      level,
      ability: Float64Array.of(ability),
      terms: [terms],
      agentTokens: Float64Array.of(Number.NaN),
    },
  };
}

function promptsOf(facts: PlaceableSet["facts"]): BilledPrompts {
  const filled = (value: number) => new Float32Array(facts.level_quality.length).fill(value);
  return {
    tokensIn: facts.prompt_tokens,
    answerTokens: facts.answer_tokens ?? filled(TYPICAL_ANSWER_TOKENS),
    answerLevel: facts.level_answer,
    difficulty: facts.difficulty ?? filled(Number.NaN),
    countsVisible: () => false,
  };
}

function guessOf(description: ModelDescription, { lengths }: Abilities): number {
  const { bases, families } = lengths.thinking;
  return thinkingGuess(description) * (bases.get(description.base) ?? families.get(description.family) ?? 1);
}

/** Hidden tokens on a prompt of medium difficulty: the guess, corrected by its own answers. */
function correctedThinking(
  guess: number,
  {
    outcomes,
    prompts,
    verbosity,
    sourceOf,
  }: {
    readonly outcomes: ModelOutcomes;
    readonly prompts: BilledPrompts;
    readonly verbosity: number;
    readonly sourceOf: Uint16Array;
  },
): number {
  const ratios = new ThinkingRatios();
  outcomes.tokensOut.forEach((tokens, cell) => {
    const anchor = outcomes.anchors[cell] as number;
    if (Number.isNaN(tokens) || Number.isNaN(prompts.answerTokens[anchor] as number)) return;
    ratios.add("", {
      source: sourceOf[anchor] as number,
      seen: Math.max(0, tokens - expectedVisible(prompts, { anchor, verbosity })),
      foreseen: guess * hiddenFactor(prompts.difficulty[anchor] as number),
    });
  });
  return guess * ratios.ratioOf("", 1);
}

/** Factor from fourth roots to means: of the model it is like, else the median of models with measured bills. */
export function meanOverTypical(profiles: readonly ModelProfile[], like: ModelProfile | undefined): number {
  const factorOf = ({ facts: { bill } }: ModelProfile) =>
    bill === undefined ? 1 : bill.smear * bill.correction;
  if (like !== undefined) return factorOf(like);
  const factors = profiles
    .filter(({ bill }) => bill?.codes !== undefined)
    .map(factorOf)
    .sort((a, b) => a - b);
  return factors[factors.length >> 1] ?? 1;
}
