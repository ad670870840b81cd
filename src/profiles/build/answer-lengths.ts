import { thinkingFactor } from "../../estimation/thinking.js";
import { NANO_DOLLARS } from "../model-profile.js";
import { expectedOn } from "./ability-factors/expected-on.js";
import { fitAbilityFactors } from "./ability-factors/fit-ability-factors.js";
import type { FactorPrior, FactorTest } from "./ability-factors.js";
import { covariatesOf, type ModelDescription } from "./model-description.js";
import type { OutcomeTable } from "./outcome-table.js";
import { fitTwoWay, identityLink } from "./two-way-fit.js";

/** Expected lengths of the models' answers, and of their reasoning. */
export interface AnswerLengths {
  /** log2 length of the answers to each anchor, beyond the models' own, `[anchors]`. */
  readonly level: Float32Array;
  /** Effect of each model on the log2 length of visible answers, `[models]`; null when no model of the table has any. */
  readonly tokenAbility: Float64Array | null;
  /** The same of costs in nano-dollars; NaN where a model has none; null when none has. */
  readonly costAbility: Float64Array | null;
  /** Hidden reasoning tokens on a prompt of medium difficulty, `[models]`; 0 for models that do not think. */
  readonly thinkingTokens: Float64Array;
  /** Visible tokens for each cell, NaN = unknown: from sources that count hidden tokens separately, `[models][cells]`. */
  readonly visibleTokens: readonly Float32Array[];
  /** Parameters for placing the lengths of a model outside the fit. */
  readonly placing: LengthPlacing;
}

export interface LengthPlacing {
  /** Effects on the log2 length of visible answers, relative to `offset`; null when no model of the table has any. */
  readonly tokens: { readonly offset: number; readonly test: FactorTest; readonly prior: FactorPrior } | null;
  /** Ratios of thinking tokens to the guess, by base model and by family. */
  readonly thinking: {
    readonly bases: ReadonlyMap<string, number>;
    readonly families: ReadonlyMap<string, number>;
  };
}

/**
 * Hidden reasoning tokens by level of thinking on a prompt of medium difficulty, before correction by measurements
 * (guess from public tables of time to the first answer token: 2,000 for a model that reasons by default, 4,400 to
 * 5,600 at the highest efforts).
 */
const THINKING_TOKENS: Readonly<Record<string, number>> = {
  none: 0,
  minimal: 100,
  low: 400,
  medium: 1000,
  thinking: 2000,
  high: 2500,
  xhigh: 5000,
  max: 6000,
};
/** Weight of the guess, in measured answers. */
const THINKING_PSEUDO_ANSWERS = 20;

export interface LengthOptions {
  readonly describe: (model: string) => ModelDescription;
  /** Difficulty of each anchor's prompt in tiers, NaN where unknown, `[anchors]`. */
  readonly difficulty: Float32Array;
  readonly seed: number;
}

export function estimateLengths(table: OutcomeTable, options: LengthOptions): AnswerLengths {
  const levels = table.models.map(({ model }) => options.describe(model).thinking);
  const visibleTokens = table.models.map((outcomes, column) =>
    visibleOf(outcomes, { table, thinks: levels[column] !== null }),
  );
  const logTokens = visibleTokens.map((tokens) => tokens.map((count) => Math.log2(1 + count)));
  const logCosts = table.models.map(({ costUsd }) =>
    costUsd.map((cost) => Math.log2(1 + cost * NANO_DOLLARS)),
  );
  // Tokens and costs of one answer differ by a factor of the model's own, so they share the prompts' lengths; apart from
  // their common means, which lie octaves from each other.
  const offsets = { tokens: meanOf(logTokens) ?? 0, costs: meanOf(logCosts) ?? 0 };
  const columns = [
    ...logTokens.map((values) => values.map((value) => value - offsets.tokens)),
    ...logCosts.map((values) => values.map((value) => value - offsets.costs)),
  ].map((values, index) => ({
    anchors: (table.models[index % table.models.length] as OutcomeTable["models"][number]).anchors,
    values,
  }));
  const fit = fitTwoWay(
    {
      anchorCount: table.promptIds.length,
      benchmarkOf: table.benchmarkOf,
      benchmarkCount: table.benchmarks.length,
      columns,
    },
    identityLink,
  );
  const models = table.models.length;
  const shrunkTokens = logTokens.some(hasKnown)
    ? shrinkAbilities(table, { ability: fit.ability, values: logTokens, options })
    : null;
  const tokenAbility = shrunkTokens?.ability.map((value) => value + offsets.tokens) ?? null;
  const costAbility = logCosts.some(hasKnown)
    ? Float64Array.from(table.models, (_, column) =>
        hasKnown(logCosts[column] as Float32Array)
          ? (fit.ability[models + column] as number) + offsets.costs
          : Number.NaN,
      )
    : null;
  const thinking = thinkingOf(table, { ...options, levels, tokenAbility, level: fit.level });
  return {
    level: fit.level,
    tokenAbility,
    costAbility,
    visibleTokens,
    thinkingTokens: thinking.tokens,
    placing: {
      tokens:
        shrunkTokens === null
          ? null
          : { offset: offsets.tokens, test: shrunkTokens.test, prior: shrunkTokens.prior },
      thinking: thinking.corrections,
    },
  };
}

/** Visible tokens of a cell; NaN for a model that thinks in a source that includes hidden tokens. */
function visibleOf(
  { anchors, tokensOut }: OutcomeTable["models"][number],
  { table, thinks }: { readonly table: OutcomeTable; readonly thinks: boolean },
): Float32Array {
  if (!thinks) return tokensOut;
  return tokensOut.map((tokens, cell) =>
    lengthsOf(table, anchors[cell] as number) === "visible" ? tokens : Number.NaN,
  );
}

const lengthsOf = (table: OutcomeTable, anchor: number): "visible" | "total" =>
  table.sources[table.sourceOf[anchor] as number]?.lengths ?? "total";

/**
 * Shrinks the length effects of models with few or no lengths toward the value predicted from base model, family,
 * effort and price.
 */
function shrinkAbilities(
  table: OutcomeTable,
  {
    ability,
    values,
    options,
  }: {
    readonly ability: Float64Array;
    readonly values: readonly Float32Array[];
    readonly options: LengthOptions;
  },
): { readonly ability: Float64Array; readonly test: FactorTest; readonly prior: FactorPrior } {
  const known = values.map((row) => row.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0));
  const seen = [...known.keys()].filter((column) => (known[column] as number) > 0);
  const { tests, posteriors, prior } = fitAbilityFactors({
    models: table.models.map(({ model }) => {
      const description = options.describe(model);
      const { family, base } = description;
      return { family, base, covariates: covariatesOf(model, description) };
    }),
    testGroups: [0],
    observations: {
      model: Uint32Array.from(seen),
      test: new Uint32Array(seen.length),
      value: Float64Array.from(seen, (column) => ability[column] as number),
      variance: Float64Array.from(seen, (column) => 1 / (known[column] as number)),
    },
    seed: options.seed,
  });
  const test = tests[0] as FactorTest;
  const shrunk = Float64Array.from(posteriors, (posterior, column) => {
    const expected = expectedOn(test, posterior).value;
    return shrunkLength(ability[column] as number, { test, expected, count: known[column] as number });
  });
  return { ability: shrunk, test, prior };
}

/** The mean effect of `count` answers on the log2 length, shrunk toward the expected effect. */
export function shrunkLength(
  mean: number,
  { test, expected, count }: { readonly test: FactorTest; readonly expected: number; readonly count: number },
): number {
  if (count === 0) return expected;
  const trust = test.residualVariance / (test.residualVariance + 1 / count);
  return trust * mean + (1 - trust) * expected;
}

/**
 * Thinking tokens of each model: the guess for its level, corrected by sources that report total tokens. The correction
 * of a base model applies to its other efforts, that of a family to its other models.
 */
function thinkingOf(
  table: OutcomeTable,
  {
    levels,
    tokenAbility,
    level,
    difficulty,
    describe,
  }: LengthOptions & {
    readonly levels: readonly (string | null)[];
    readonly tokenAbility: Float64Array | null;
    readonly level: Float32Array;
  },
): { readonly tokens: Float64Array; readonly corrections: LengthPlacing["thinking"] } {
  const guesses = levels.map(thinkingGuess);
  const bases = new Map<string, ThinkingSums>();
  const families = new Map<string, ThinkingSums>();
  table.models.forEach(({ model, anchors, tokensOut }, column) => {
    const guess = guesses[column] as number;
    if (guess === 0) return;
    const { base, family } = describe(model);
    tokensOut.forEach((tokens, cell) => {
      const anchor = anchors[cell] as number;
      if (Number.isNaN(tokens) || lengthsOf(table, anchor) === "visible") return;
      const visible =
        tokenAbility === null ? 0 : 2 ** ((tokenAbility[column] as number) + (level[anchor] as number));
      const expected = guess * thinkingFactor(difficulty[anchor] as number);
      for (const [sums, name] of [
        [bases, base],
        [families, family],
      ] as const) {
        const sum = sums.get(name) ?? { seen: 0, expected: 0, answers: 0 };
        sum.seen += Math.max(0, tokens - visible);
        sum.expected += expected;
        sum.answers += 1;
        sums.set(name, sum);
      }
    });
  });
  const corrections = {
    bases: new Map<string, number>(),
    families: new Map([...families].map(([name, sums]) => [name, shrunkThinking(sums, 1)])),
  };
  const tokens = Float64Array.from(table.models, ({ model }, column) => {
    const { base, family } = describe(model);
    const ofBase = shrunkThinking(bases.get(base), corrections.families.get(family) ?? 1);
    if (bases.has(base)) corrections.bases.set(base, ofBase);
    return (guesses[column] as number) * ofBase;
  });
  return { tokens, corrections };
}

/** Hidden reasoning tokens at a level of thinking on a prompt of medium difficulty, 0 when the model does not think. */
export const thinkingGuess = (level: string | null): number =>
  level === null ? 0 : (THINKING_TOKENS[level] ?? THINKING_TOKENS.medium ?? 0);

interface ThinkingSums {
  seen: number;
  /** Tokens by the guess. */
  expected: number;
  answers: number;
}

/** Ratio of observed to guessed thinking tokens, shrunk toward the ratio of similar models. */
export function shrunkThinking(sums: Readonly<ThinkingSums> | undefined, toward: number): number {
  if (sums === undefined || sums.expected === 0) return toward;
  const pseudo = (THINKING_PSEUDO_ANSWERS * sums.expected) / sums.answers;
  return (sums.seen + pseudo * toward) / (sums.expected + pseudo);
}

function hasKnown(values: Float32Array): boolean {
  return values.some((value) => !Number.isNaN(value));
}

function meanOf(columns: readonly Float32Array[]): number | undefined {
  let sum = 0;
  let count = 0;
  for (const values of columns)
    for (const value of values) {
      if (Number.isNaN(value)) continue;
      sum += value;
      count++;
    }
  return count === 0 ? undefined : sum / count;
}
