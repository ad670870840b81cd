import { thinkingFactor } from "../../estimation/thinking.js";
import type { Abilities } from "../build/abilities-file.js";
import { expectedOn } from "../build/ability-factors/expected-on.js";
import { placeModel } from "../build/ability-factors/place-model.js";
import type { FactorModelFacts } from "../build/ability-factors.js";
import { shrunkLength, shrunkThinking, thinkingGuess } from "../build/answer-lengths.js";
import type { ModelDescription } from "../build/model-description.js";
import type { ModelOutcomes } from "../build/outcome-table.js";
import { type ModelProfile, NANO_DOLLARS } from "../model-profile.js";
import type { PlaceableSet } from "./placeable-set.js";

export interface PlacedLengths {
  /** Effects on the log2 length of visible answers and of costs, relative to the prompts; null where unknown. */
  readonly tokenAbility: number | null;
  readonly costAbility: number | null;
  readonly thinkingTokens: number;
  /** Its own visible lengths, NaN = unknown; `[cells]`. */
  readonly visibleTokens: Float32Array;
}

export interface LengthInput {
  readonly set: Pick<PlaceableSet, "facts" | "abilities">;
  readonly outcomes: ModelOutcomes;
  readonly description: ModelDescription;
  readonly facts: FactorModelFacts;
  /** Profile and description of the model it is like. */
  readonly like: { readonly profile: ModelProfile; readonly thinking: string | null } | undefined;
}

/**
 * Expected lengths of the model's answers: from its own answers, shrunk toward the model it is like, else toward its
 * base model and family.
 */
export function placeLengths(input: LengthInput): PlacedLengths {
  const { set, outcomes, description, like } = input;
  const level = set.facts.level_length;
  const thinks = description.thinking !== null;
  // Of a model that thinks, hidden tokens are among those that were counted.
  const visibleTokens = thinks ? outcomes.tokensOut.map(() => Number.NaN) : outcomes.tokensOut;
  const tokenAbility = tokenAbilityOf(effectOf(visibleTokens, { outcomes, level }), input);
  const cost = effectOf(
    outcomes.costUsd.map((usd) => usd * NANO_DOLLARS),
    { outcomes, level },
  );
  const sameThinking = like !== undefined && like.thinking === description.thinking;
  const guess = sameThinking ? like.profile.facts.thinking_tokens : guessOf(description, set.abilities);
  return {
    tokenAbility,
    costAbility: cost.count === 0 ? null : cost.mean,
    thinkingTokens: thinks ? correctedThinking(guess, { ...input, tokenAbility }) : 0,
    visibleTokens,
  };
}

interface Effect {
  readonly mean: number;
  readonly count: number;
}

/** Mean of the log2 lengths minus those of the prompts. */
function effectOf(
  lengths: Float32Array,
  { outcomes, level }: { readonly outcomes: ModelOutcomes; readonly level: Float32Array },
): Effect {
  let sum = 0;
  let count = 0;
  lengths.forEach((length, cell) => {
    if (Number.isNaN(length)) return;
    sum += Math.log2(1 + length) - (level[outcomes.anchors[cell] as number] as number);
    count++;
  });
  return { mean: count === 0 ? 0 : sum / count, count };
}

function tokenAbilityOf({ mean, count }: Effect, { set, facts, like }: LengthInput): number | null {
  const { tokens } = set.abilities.lengths;
  const ofLike = like?.profile.facts.tokens?.ability;
  if (tokens === null) return count === 0 ? (ofLike ?? null) : mean;
  const { test, prior, offset } = tokens;
  const own = count === 0 ? [] : [{ test, value: mean - offset, variance: 1 / count }];
  const expected = ofLike ?? offset + expectedOn(test, placeModel(own, { prior, facts })).value;
  return shrunkLength(mean, { test, expected, count });
}

function guessOf({ thinking, base, family }: ModelDescription, { lengths }: Abilities): number {
  const { bases, families } = lengths.thinking;
  return thinkingGuess(thinking) * (bases.get(base) ?? families.get(family) ?? 1);
}

/** Thinking tokens on a prompt of medium difficulty: the guess, corrected by its own answers. */
function correctedThinking(
  guess: number,
  { set, outcomes, tokenAbility }: LengthInput & { readonly tokenAbility: number | null },
): number {
  const { level_length: level, difficulty } = set.facts;
  const sums = { seen: 0, expected: 0, answers: 0 };
  outcomes.tokensOut.forEach((tokens, cell) => {
    if (Number.isNaN(tokens)) return;
    const anchor = outcomes.anchors[cell] as number;
    const visible = tokenAbility === null ? 0 : 2 ** (tokenAbility + (level[anchor] as number));
    sums.seen += Math.max(0, tokens - visible);
    sums.expected += guess * thinkingFactor(difficulty?.[anchor] ?? Number.NaN);
    sums.answers += 1;
  });
  return guess * shrunkThinking(sums, 1);
}

/** Ratio of mean to typical length: of the model it is like, else the median of models with measured lengths. */
export function meanOverTypical(profiles: readonly ModelProfile[], like: ModelProfile | undefined): number {
  const ratioOf = ({ facts }: ModelProfile) =>
    facts.tokens === undefined ? 1 : facts.tokens.smear * facts.tokens.correction;
  if (like !== undefined) return ratioOf(like);
  const ratios = profiles
    .filter(({ tokens }) => tokens?.lengths !== undefined)
    .map(ratioOf)
    .sort((a, b) => a - b);
  return ratios[ratios.length >> 1] ?? 1;
}
