import type { ModelDescription } from "../../engine/catalog/model-description.js";
import type { TokenPrice } from "../../engine/estimation/bills.js";
import {
  billCodes,
  decodeRatio,
  encodeRatio,
  expectedVisible,
  hiddenFactor,
  REFERENCE_PRICE,
  TYPICAL_ANSWER_TOKENS,
  thinkingGuess,
  tokensShown,
} from "../../engine/index.js";
import type { BilledPrompts } from "../../engine/profiles/bill-codes.js";
import { agentSources, agentTokens, type PaidSource } from "./agent-bills.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import { fitTwoWay } from "./two-way-fit.js";

/** How long the models' answers are, and what they were billed. */
export interface FittedLengths {
  /** log2 ratio of the visible lengths of answers to what the prompt's text lets expect, NaN where none was measured, `[anchors]`. */
  readonly answerLevel: Float32Array;
  /** Factor on the visible length, `[models]`. */
  readonly verbosity: Float64Array;
  /** Hidden reasoning tokens on a prompt of medium difficulty, `[models]`; 0 for models that do not think. */
  readonly thinkingTokens: Float64Array;
  /** Null when neither tokens nor dollars are known of any answer. */
  readonly bills: AnswerBills | null;
  /** Parameters for placing a model outside the fit. */
  readonly placing: LengthPlacing;
}

/** What answers were billed, as codes (`encodeRatio`) of ratios to the expected bill. */
interface AnswerBills {
  /** NaN = unknown, `[models][cells]`. */
  readonly codes: readonly Float32Array[];
  /** Effect of each prompt on log2(1 + code), `[anchors]`, and of each model, `[models]`. */
  readonly level: Float32Array;
  readonly ability: Float64Array;
  /** What the ratios of each model refer to, `[models]`. */
  readonly terms: readonly BillTerms[];
  /** What a task of an agent costs, in tokens at the middle of the model's prices; NaN where unknown, `[models]`. */
  readonly agentTokens: Float64Array;
}

export interface BillTerms {
  readonly price: TokenPrice;
  /** Whether `price` is the list price of the model; else it is the reference price. */
  readonly listed: boolean;
  /** Whether dollars were recorded. */
  readonly paid: boolean;
}

/**
 * Level of a prompt unlike all anchors: the mean level where all are of one source, whose traffic it is then likely to be; 0 among
 * several, whose levels are those of their harnesses.
 */
export function levelElsewhere(
  level: Float32Array,
  { sources }: { readonly sources: readonly unknown[] },
): number {
  const known = level.filter((value) => !Number.isNaN(value));
  if (sources.length > 1 || known.length === 0) return 0;
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

export interface LengthPlacing {
  /** Ratios of hidden reasoning tokens to the guess, by base model and by family. */
  readonly thinking: {
    readonly bases: ReadonlyMap<string, number>;
    readonly families: ReadonlyMap<string, number>;
  };
}

/** Factor on visible length by maker (805 everyday instructions and business texts, 2026-11-23). */
const VERBOSITY_OF_MAKER: Readonly<Record<string, number>> = {
  claude: 0.85,
  gpt: 0.85,
  gemini: 0.9,
  grok: 0.8,
  deepseek: 1.2,
  minimax: 1.2,
  mistral: 1.2,
  glm: 1.2,
  qwen: 1.4,
  kimi: 1.4,
};
/**
 * How much of what one source says of a model's verbosity and bills carries over to prompts of other kinds (correlation .19 of verbosity
 * between two benchmarks). A set of one source is taken for the traffic itself.
 */
export const carriedOver = ({ sources }: { readonly sources: readonly unknown[] }): number =>
  sources.length === 1 ? 1 : 0.2;
/** Answers after which half of a measured effect is believed (guess). */
const PSEUDO_ANSWERS = 20;

export interface LengthOptions {
  readonly describe: (model: string) => ModelDescription;
  /** Mean visible tokens of answers by the text of each anchor's prompt; NaN for multiple choice, `[anchors]`. */
  readonly answerTokens: Float32Array | null;
  /** Difficulty of each anchor's prompt in tiers, NaN where unknown, `[anchors]`. */
  readonly difficulty: Float32Array;
}

/**
 * Lengths in four steps: what the prompt's text lets expect; how far the answers to a prompt differ from it, for all models; what a
 * model hides, by its level of thinking and the prompt's difficulty; and what was billed beyond that. Dollars count before tokens.
 * The tokens of answers to multiple choice are left out: they are those of a letter, or of a harness.
 */
export function estimateLengths(table: OutcomeTable, options: LengthOptions): FittedLengths {
  const { models, promptIds, tokensIn } = table;
  const answerTokens = options.answerTokens ?? new Float32Array(promptIds.length).fill(TYPICAL_ANSWER_TOKENS);
  const descriptions = models.map(({ model }) => options.describe(model));
  const countsVisible = (anchor: number): boolean =>
    table.sources[table.sourceOf[anchor] as number]?.lengths === "visible";
  const visible = models.map((outcomes, column) =>
    tokensShown(outcomes, {
      prompts: { answerTokens, countsVisible },
      thinks: thinkingGuess(descriptions[column] as ModelDescription) > 0,
    }),
  );
  const { level: answerLevel, ability } = fitLogs(
    table,
    visible.map((tokens, column) =>
      tokens.map((count, cell) =>
        Math.log2(Math.max(1, count) / (answerTokens[anchorOf(table, column, cell)] as number)),
      ),
    ),
  );
  const prompts = { tokensIn, answerTokens, answerLevel, countsVisible, difficulty: options.difficulty };
  const verbosity = Float64Array.from(descriptions, ({ family }, column) => {
    const usual = Math.log2(verbosityOfFamily(family));
    const answers = countKnown(visible[column] as Float32Array);
    const own = shrunkByAnswers((ability[column] as number) - usual, answers);
    return 2 ** (usual + carriedOver(table) * own);
  });
  const thinking = thinkingOf(table, { descriptions, prompts, verbosity });
  const bills = billsOf(table, { descriptions, prompts, verbosity, thinkingTokens: thinking.tokens });
  return {
    answerLevel,
    verbosity,
    bills,
    thinkingTokens: thinking.tokens,
    placing: { thinking: thinking.corrections },
  };
}

const anchorOf = ({ models }: OutcomeTable, column: number, cell: number): number =>
  models[column]?.anchors[cell] as number;

const countKnown = (values: Float32Array): number =>
  values.reduce((count, value) => count + (Number.isNaN(value) ? 0 : 1), 0);

/** Effects of prompts and models on logarithms; the models' effects have the mean 0, and a prompt without values is NaN. */
function fitLogs(
  table: OutcomeTable,
  values: readonly Float32Array[],
): { readonly level: Float32Array; readonly ability: Float64Array } {
  const { level, ability } = fitTwoWay({
    anchorCount: table.promptIds.length,
    benchmarkOf: table.benchmarkOf,
    benchmarkCount: table.benchmarks.length,
    columns: values.map((column, index) => ({
      anchors: (table.models[index] as ModelOutcomes).anchors,
      values: column,
    })),
  });
  const isKnown = new Uint8Array(level.length);
  const counts = values.map(countKnown);
  values.forEach((column, index) => {
    column.forEach((value, cell) => {
      if (!Number.isNaN(value)) isKnown[anchorOf(table, index, cell)] = 1;
    });
  });
  const total = counts.reduce((sum, count) => sum + count, 0);
  const mean =
    counts.reduce((sum, count, column) => sum + count * (ability[column] as number), 0) / Math.max(1, total);
  return {
    level: level.map((value, anchor) => (isKnown[anchor] === 1 ? value + mean : Number.NaN)),
    ability: ability.map((value, column) => (counts[column] === 0 ? 0 : value - mean)),
  };
}

interface ThinkingInput {
  readonly descriptions: readonly ModelDescription[];
  readonly prompts: BilledPrompts;
  readonly verbosity: Float64Array;
}

/**
 * Hidden tokens of each model: the guess for its level and maker, corrected by answers whose hidden or total tokens are known. The
 * correction of a base model applies to its other efforts, that of a family to its other models.
 */
function thinkingOf(
  table: OutcomeTable,
  { descriptions, prompts, verbosity }: ThinkingInput,
): { readonly tokens: Float64Array; readonly corrections: LengthPlacing["thinking"] } {
  const [models, bases, families] = [new ThinkingRatios(), new ThinkingRatios(), new ThinkingRatios()];
  table.models.forEach(({ model, anchors, tokensOut, tokensReasoning }, column) => {
    const description = descriptions[column] as ModelDescription;
    const guess = thinkingGuess(description);
    if (guess === 0) return;
    tokensOut.forEach((tokens, cell) => {
      const anchor = anchors[cell] as number;
      if (Number.isNaN(prompts.answerTokens[anchor] as number)) return;
      const recorded = tokensReasoning?.[cell] ?? Number.NaN;
      const isHidden = !Number.isNaN(recorded);
      if (!isHidden && (Number.isNaN(tokens) || prompts.countsVisible(anchor))) return;
      const visible = expectedVisible(prompts, { anchor, verbosity: verbosity[column] as number });
      const answer = {
        source: table.sourceOf[anchor] as number,
        seen: isHidden ? recorded : Math.max(0, tokens - visible),
        foreseen: guess * hiddenFactor(prompts.difficulty[anchor] as number),
      };
      models.add(model, answer);
      bases.add(description.base, answer);
      families.add(description.family, answer);
    });
  });
  const tokens = descriptions.map((description, column) => {
    const { base, family } = description;
    const model = table.models[column]?.model as string;
    const ofBase = bases.ratioOf(base, families.ratioOf(family, 1));
    return thinkingGuess(description) * models.ratioOf(model, ofBase);
  });
  const ratiosOf = (ratios: ThinkingRatios, towardOf: (name: string) => number) =>
    new Map(ratios.names().map((name) => [name, ratios.ratioOf(name, towardOf(name))]));
  const familyOf = new Map(descriptions.map(({ base, family }) => [base, family]));
  return {
    tokens: orderedByEffort(tokens, descriptions),
    corrections: {
      bases: ratiosOf(bases, (base) => families.ratioOf(familyOf.get(base) as string, 1)),
      families: ratiosOf(families, () => 1),
    },
  };
}

/** No effort of a model hides less than a lower one: neighbours in the wrong order are given their geometric mean. */
function orderedByEffort(tokens: readonly number[], descriptions: readonly ModelDescription[]): Float64Array {
  const ordered = Float64Array.from(tokens);
  const guesses = descriptions.map(thinkingGuess);
  const guessOf = (column: number): number => guesses[column] as number;
  for (const base of new Set(descriptions.map((one) => one.base))) {
    const thinking = [...tokens.keys()].filter((at) => guessOf(at) > 0 && descriptions[at]?.base === base);
    const blocks: { columns: number[]; log: number }[] = [];
    for (const column of thinking.sort((a, b) => guessOf(a) - guessOf(b))) {
      let block = { columns: [column], log: Math.log(tokens[column] as number) };
      for (let last = blocks.at(-1); last !== undefined && last.log > block.log; last = blocks.at(-1)) {
        blocks.pop();
        const [below, own] = [last.columns.length, block.columns.length];
        const log = (below * last.log + own * block.log) / (below + own);
        block = { columns: [...last.columns, ...block.columns], log };
      }
      blocks.push(block);
    }
    for (const { columns: alike, log } of blocks) for (const column of alike) ordered[column] = Math.exp(log);
  }
  return ordered;
}

/** What one answer hid, and what was guessed. */
interface HiddenAnswer {
  /** Any number; ratios of different sources count alike, because tasks and harnesses move them more than models do. */
  readonly source: number;
  readonly seen: number;
  readonly foreseen: number;
}

/** Ratios of hidden tokens to the guess, by name. */
export class ThinkingRatios {
  readonly #sums = new Map<string, Map<number, { seen: number; foreseen: number; answers: number }>>();

  add(name: string, { source, seen, foreseen }: HiddenAnswer): void {
    const sources =
      this.#sums.get(name) ?? new Map<number, { seen: number; foreseen: number; answers: number }>();
    this.#sums.set(name, sources);
    const sum = sources.get(source) ?? { seen: 0, foreseen: 0, answers: 0 };
    sum.seen += seen;
    sum.foreseen += foreseen;
    sum.answers += 1;
    sources.set(source, sum);
  }

  names(): readonly string[] {
    return [...this.#sums.keys()];
  }

  /** Geometric mean over the sources, and `toward` as one more: that of similar models. */
  ratioOf(name: string, toward: number): number {
    let log = Math.log(toward);
    let weight = 1;
    for (const { seen, foreseen, answers } of this.#sums.get(name)?.values() ?? []) {
      if (foreseen === 0) continue;
      const pseudo = (PSEUDO_ANSWERS * foreseen) / answers;
      const own = answers / (answers + PSEUDO_ANSWERS);
      log += own * Math.log((seen + pseudo * toward) / (foreseen + pseudo));
      weight += own;
    }
    return Math.exp(log / weight);
  }
}

/** Factor on the visible length of a family's answers. */
export const verbosityOfFamily = (family: string): number => VERBOSITY_OF_MAKER[family] ?? 1;

interface BillInput extends ThinkingInput {
  readonly thinkingTokens: Float64Array;
}

/** Ratios of what was billed to what was to be expected. */
function billsOf(
  table: OutcomeTable,
  { descriptions, prompts, verbosity, thinkingTokens }: BillInput,
): AnswerBills | null {
  const terms = table.models.map(({ costUsd }, column) =>
    termsOf(costUsd, (descriptions[column] as ModelDescription).listPrice ?? null),
  );
  const codes = table.models.map((outcomes, column) => {
    const model = {
      verbosity: verbosity[column] as number,
      thinkingTokens: thinkingTokens[column] as number,
      price: (terms[column] as BillTerms).price,
    };
    return billCodes(outcomes, { prompts, model });
  });
  const paid = paidSources(table, codes);
  const agents = agentSources(paid);
  // A call is not billed what a task was, which takes many.
  codes.forEach((column, model) => {
    column.forEach((_, cell) => {
      if (agents.has(table.sourceOf[anchorOf(table, model, cell)] as number)) column[cell] = Number.NaN;
    });
  });
  if (!codes.some((column) => countKnown(column) > 0)) return null;
  const fit = fitLogs(
    table,
    codes.map((column) => column.map((code) => Math.log2(1 + code))),
  );
  return {
    codes,
    level: fit.level.map((value) => (Number.isNaN(value) ? USUAL_BILL : value)),
    ability: fit.ability.map((value, column) =>
      shrunkByAnswers(value, countKnown(codes[column] as Float32Array)),
    ),
    terms,
    agentTokens: agentTokens(
      paid,
      terms.map(({ price }, column) => ({
        base: (descriptions[column] as ModelDescription).base,
        price,
        thinkingTokens: thinkingTokens[column] as number,
      })),
    ),
  };
}

/** Recorded dollars by model and source; none where all prompts are of one source, whose bills are those of the traffic. */
function paidSources(table: OutcomeTable, codes: AnswerBills["codes"]): PaidSource[] {
  if (table.sources.length < 2) return [];
  return table.models.flatMap(({ anchors, costUsd }, model) => {
    const found = new Map<number, { usd: number; ratios: number[] }>();
    costUsd.forEach((dollars, cell) => {
      if (!(dollars > 0)) return;
      const source = table.sourceOf[anchors[cell] as number] as number;
      const own = found.get(source) ?? { usd: 0, ratios: [] };
      found.set(source, own);
      own.usd += dollars;
      own.ratios.push(decodeRatio(codes[model]?.[cell] as number));
    });
    return [...found].map(([source, { usd, ratios }]) => ({
      model,
      source,
      ratios,
      usd: usd / ratios.length,
    }));
  });
}

/** A measured effect, less as the answers are few. */
export const shrunkByAnswers = (effect: number, answers: number): number =>
  (effect * answers) / (answers + PSEUDO_ANSWERS);

/** log2 of 1 + the code of the expected bill. */
export const USUAL_BILL = Math.log2(1 + encodeRatio(1));

/** What the bills of a model refer to: its list price where there is one. */
export const termsOf = (costUsd: Float32Array, listPrice: TokenPrice | null): BillTerms => ({
  price: listPrice ?? REFERENCE_PRICE,
  listed: listPrice !== null,
  paid: costUsd.some((dollars) => !Number.isNaN(dollars)),
});
