import type { AnchorSet, ModelBills } from "../../engine/estimation/anchor-set.js";
import { billCodes, TYPICAL_ANSWER_TOKENS, tokensShown } from "../../engine/index.js";
import type { BilledPrompts } from "../../engine/profiles/bill-codes.js";
import { clusterAnchors, nearestCentroid, vectorSource } from "../fitting/clusters.js";
import { logisticLink } from "../fitting/logistic-link.js";
import type { OutcomeTable } from "../fitting/outcome-table.js";
import { type Expectations, expectationsOf, type Traffic } from "./expectations.js";
import { type Corrections, type ExpectedAnswers, fitCorrections } from "./fit-corrections.js";

/** What traffic says of its own prompts: they become anchors, on topics of their own. */
export interface Learned {
  /** Topic of each prompt, `[prompts]`, and their number. */
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
  /** Ease of each prompt (log-odds), and the levels of its answers' lengths and bills, as anchors have them; `[prompts]`. */
  readonly ease: Float32Array;
  readonly answerLevel: Float32Array;
  readonly billLevel: Float32Array;
  /** Mean visible tokens of answers by the text of each prompt, `[prompts]`. */
  readonly answerTokens: Float32Array;
  /** Codes of the bills of each model's answers, `[cells]`; only of models of the set. */
  readonly codes: ReadonlyMap<string, Float32Array>;
  /** Skill of each model of the set on each topic, `[models × topics]`. */
  readonly skill: Float64Array;
  readonly corrections: Corrections;
  /** Topic of the set that each topic is most like, `[topics]`. */
  readonly likeTopic: Uint16Array;
  /** Answers that were used; the others are of models that the set does not have. */
  readonly answers: number;
}

export interface LearnOptions {
  readonly seed: number;
  /** Effect of each model on log2 of 1 + the code of a bill, `[models of the set]`. */
  readonly billAbility: Float64Array;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Prompts that a topic of traffic has on average at least; 50 and 200 were tried (docs/decisions/learning.md). */
const PROMPTS_PER_TOPIC = 50;
const TOPIC_COUNTS = [256, 64, 16];
/** Largest weight of an answer; 1, 20 and 1000 were tried (docs/decisions/learning.md). */
const LARGEST_WEIGHT = 20;
/** Variance of a prompt's ease about what is expected of it (guess). */
const EASE_VARIANCE = 1;
/** Answers as many as which the expected level of a prompt counts (guess). */
const LEVEL_PSEUDO_ANSWERS = 2;

/** Compares graded answers with what a set expects of them, prompt by prompt. The set is not changed. */
export async function learnFromTraffic(
  set: AnchorSet,
  traffic: Traffic,
  options: LearnOptions,
): Promise<Learned> {
  const topics = topicsOf(traffic, options.seed);
  const expected = await expectationsOf(set, traffic, { ...options, ...topics });
  const cells = [...cellsOf(set, traffic.table)];
  const answers = answersOf(cells, { set, offsets: expected.offsets, ...topics });
  const corrections = fitCorrections(answers);
  const skill = expected.skill.map((value, at) => value + (corrections.skill[at] as number));
  const shifted = expected.ease.map(
    (value, prompt) => value + (corrections.shift[topics.topicOf[prompt] as number] as number),
  );
  return {
    ...topics,
    ease: withOwnAnswers(shifted, { cells, skill, dispersion: corrections.dispersion, ...topics }),
    ...billsOf(expected, { set, traffic, cells, billAbility: options.billAbility }),
    skill,
    corrections,
    likeTopic: expected.likeTopic,
    answers: answers.score.length,
  };
}

interface Topics {
  readonly topicOf: Uint16Array;
  readonly topicCount: number;
}

/** As many clusters of the prompts as leave enough of them to each. */
function topicsOf({ vectors }: Traffic, seed: number): Topics {
  const clusters = TOPIC_COUNTS.find((count) => count * PROMPTS_PER_TOPIC <= vectors.count) ?? 1;
  const source = vectorSource(vectors);
  const centroids = clusterAnchors(source, { seed, clusters });
  const vector = new Float32Array(vectors.dimensions);
  const topicOf = Uint16Array.from({ length: vectors.count }, (_, prompt) => {
    source.read(prompt, vector);
    return nearestCentroid(vector, centroids).cluster;
  });
  return { topicOf, topicCount: clusters };
}

/** The answers of one model of the set. */
interface ModelCells {
  /** Column of the set. */
  readonly column: number;
  /** Number of the model in the table. */
  readonly row: number;
  readonly outcomes: OutcomeTable["models"][number];
}

function* cellsOf(set: AnchorSet, { models }: OutcomeTable): Generator<ModelCells> {
  const columnOf = new Map(set.models.map((model, column) => [model, column]));
  for (const [row, outcomes] of models.entries()) {
    const column = columnOf.get(outcomes.model);
    if (column !== undefined) yield { column, row, outcomes };
  }
}

interface AnswerSources extends Topics {
  readonly set: AnchorSet;
  readonly offsets: Expectations["offsets"];
}

function answersOf(
  cells: readonly ModelCells[],
  { set, offsets, topicOf, topicCount }: AnswerSources,
): ExpectedAnswers {
  const count = cells.reduce((sum, { outcomes }) => sum + outcomes.anchors.length, 0);
  const answers = {
    model: new Uint16Array(count),
    topic: new Uint16Array(count),
    offset: new Float32Array(count),
    score: new Float32Array(count),
    weight: new Float32Array(count).fill(1),
  };
  let answer = 0;
  for (const { column, row, outcomes } of cells) {
    answers.offset.set(offsets[row] as Float32Array, answer);
    answers.score.set(outcomes.quality, answer);
    if (outcomes.probability !== undefined)
      answers.weight.set(effective(outcomes.probability.map(weightOf)), answer);
    for (const anchor of outcomes.anchors) {
      answers.model[answer] = column;
      answers.topic[answer++] = topicOf[anchor] as number;
    }
  }
  return { ...answers, modelCount: set.models.length, topicCount };
}

/**
 * Inverse of the probability with which an answer's model was chosen, so that prompts for which it is chosen rarely count as often as they
 * are asked. Bounded, since a few answers would decide otherwise; 1 where the probability is not known.
 */
const weightOf = (probability: number): number =>
  Number.isNaN(probability) ? 1 : Math.min(LARGEST_WEIGHT, 1 / probability);

/** Weights whose sum is the effective number of answers (Kish): few answers of large weights say less than their number. */
function effective(weights: Float32Array): Float32Array {
  let sum = 0;
  let squares = 0;
  for (const weight of weights) {
    sum += weight;
    squares += weight * weight;
  }
  return squares === 0 ? weights : weights.map((weight) => (weight * sum) / squares);
}

interface EaseInput extends Topics {
  readonly cells: readonly ModelCells[];
  readonly skill: Float64Array;
  readonly dispersion: number;
}

/** One Newton step of each prompt's ease by its own answers. */
function withOwnAnswers(
  ease: Float32Array,
  { cells, skill, dispersion, topicOf, topicCount }: EaseInput,
): Float32Array {
  const gradient = new Float32Array(ease.length);
  const information = new Float32Array(ease.length);
  for (const { column, outcomes } of cells) {
    outcomes.anchors.forEach((anchor, cell) => {
      const own = skill[column * topicCount + (topicOf[anchor] as number)] as number;
      const mean = logisticLink.mean(own + (ease[anchor] as number));
      gradient[anchor] =
        (gradient[anchor] as number) + ((outcomes.quality[cell] as number) - mean) / dispersion;
      information[anchor] = (information[anchor] as number) + logisticLink.weight(mean) / dispersion;
    });
  }
  return ease.map(
    (value, prompt) =>
      value + (gradient[prompt] as number) / ((information[prompt] as number) + 1 / EASE_VARIANCE),
  );
}

interface BillInput {
  readonly set: AnchorSet;
  readonly traffic: Traffic;
  readonly cells: readonly ModelCells[];
  readonly billAbility: Float64Array;
}

/** How long the answers were, and what they were billed, against what was expected of the prompts. */
function billsOf(
  expected: Expectations,
  { set, traffic, cells, billAbility }: BillInput,
): Pick<Learned, "answerLevel" | "billLevel" | "answerTokens" | "codes"> {
  const { table, tiers = new Float32Array(table.promptIds.length).fill(Number.NaN) } = traffic;
  const answerTokens =
    traffic.answerTokens ?? new Float32Array(table.promptIds.length).fill(TYPICAL_ANSWER_TOKENS);
  const { verbosity, thinkingTokens, bills } = set.columns;
  const countsVisible = (): boolean => false;
  const answerLevel = withOwnValues(expected.answerLevel, cells, ({ column, outcomes }) => {
    const thinks = (thinkingTokens[column] as number) > 0;
    return tokensShown(outcomes, { prompts: { answerTokens, countsVisible }, thinks }).map((tokens, cell) =>
      Math.log2(
        Math.max(1, tokens) /
          ((answerTokens[outcomes.anchors[cell] as number] as number) * (verbosity[column] as number)),
      ),
    );
  });
  const prompts: BilledPrompts = {
    answerTokens,
    answerLevel,
    countsVisible,
    tokensIn: table.tokensIn,
    difficulty: tiers,
  };
  const codesOf = ({ column, outcomes }: ModelCells): Float32Array =>
    billCodes(outcomes, {
      prompts,
      model: {
        verbosity: verbosity[column] as number,
        thinkingTokens: thinkingTokens[column] as number,
        price: (bills[column] as ModelBills).price,
      },
    });
  const codes = new Map(cells.map((each) => [each.outcomes.model, codesOf(each)]));
  const billLevel = withOwnValues(expected.billLevel, cells, ({ column, outcomes }) =>
    (codes.get(outcomes.model) as Float32Array).map(
      (code) => Math.log2(1 + code) - (billAbility[column] as number),
    ),
  );
  return { answerLevel, billLevel, answerTokens, codes };
}

/** Answers after which half of a model's mean difference is believed (guess). */
const PSEUDO_DIFFERENCES = 20;

/**
 * By how much a model's values differ from the levels that are expected of the prompts that it answered: its own, so that prompts for which
 * it was chosen are not taken for long ones.
 */
function meanDifference(values: Float32Array, expected: Float32Array, { outcomes }: ModelCells): number {
  let sum = 0;
  let count = 0;
  values.forEach((value, cell) => {
    if (Number.isNaN(value)) return;
    sum += value - (expected[outcomes.anchors[cell] as number] as number);
    count += 1;
  });
  return sum / (count + PSEUDO_DIFFERENCES);
}

/** Mean of the expected level of each prompt and what its own answers say of it. @param valuesOf by cell, NaN = unknown */
function withOwnValues(
  expected: Float32Array,
  cells: readonly ModelCells[],
  valuesOf: (cells: ModelCells) => Float32Array,
): Float32Array {
  const sum = expected.map((level) => LEVEL_PSEUDO_ANSWERS * level);
  const count = new Float32Array(expected.length).fill(LEVEL_PSEUDO_ANSWERS);
  for (const each of cells) {
    const values = valuesOf(each);
    const own = meanDifference(values, expected, each);
    values.forEach((value, cell) => {
      if (Number.isNaN(value)) return;
      const anchor = each.outcomes.anchors[cell] as number;
      sum[anchor] = (sum[anchor] as number) + value - own;
      count[anchor] = (count[anchor] as number) + 1;
    });
  }
  return sum.map((total, prompt) => total / (count[prompt] as number));
}
