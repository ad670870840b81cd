import { logisticLink } from "../fitting/logistic-link.js";

/** Graded answers with what was expected of them. All arrays have one entry an answer. */
export interface ExpectedAnswers {
  readonly model: Uint16Array;
  readonly topic: Uint16Array;
  /** Expected log-odds of a right answer. */
  readonly offset: Float32Array;
  /** In [0, 1]. */
  readonly score: Float32Array;
  /** > 0. */
  readonly weight: Float32Array;
  readonly modelCount: number;
  readonly topicCount: number;
}

/** By how much answers differ from what was expected, on the log-odds scale. */
export interface Corrections {
  /** Shift that all models share on a topic: how hard its prompts are, and how its scores are given; `[topics]`. */
  readonly shift: Float64Array;
  /** Correction of each model on each topic, and its variance, `[models × topics]`. */
  readonly skill: Float64Array;
  readonly variance: Float64Array;
  /** Variance of a score about its expectation, relative to that of a right-or-wrong answer. */
  readonly dispersion: number;
}

const SWEEPS = 40;
/** Prior variance of the common shift, and of a topic's beyond it. */
const SHIFT_VARIANCE = 4;
const TOPIC_SHIFT_VARIANCE = 0.5;
/** Initial variances of a model's correction on all topics, and of that on one topic beyond it; then estimated. */
const MODEL_VARIANCE = 0.25;
const CELL_VARIANCE = 0.1;
/** Weight of the initial variances, in corrections. */
const PSEUDO_CORRECTIONS = 5;
const LEAST_DISPERSION = 0.02;

/** One group of effects: each answer belongs to one. */
interface Effects {
  readonly groupOf: (answer: number) => number;
  readonly value: Float64Array;
  readonly variance: Float64Array;
  priorVariance: number;
  readonly isEstimated: boolean;
}

/**
 * Fits `score ~ logistic(offset + shift[topic] + correction[model] + correction[model, topic])` with normal priors about 0, whose
 * variances for the corrections are estimated (empirical Bayes). The offset is the expected quality of that model for that very
 * prompt: a model that was chosen for easy prompts is compared with what was expected of it there, and not with models that met others.
 */
export function fitCorrections(answers: ExpectedAnswers): Corrections {
  const { model, topic, modelCount, topicCount, score } = answers;
  const cellOf = (answer: number) => (model[answer] as number) * topicCount + (topic[answer] as number);
  const effects = {
    all: effectsOf(1, { groupOf: () => 0, priorVariance: SHIFT_VARIANCE, isEstimated: false }),
    topic: effectsOf(topicCount, {
      groupOf: (answer: number) => topic[answer] as number,
      priorVariance: TOPIC_SHIFT_VARIANCE,
      isEstimated: false,
    }),
    model: effectsOf(modelCount, {
      groupOf: (answer: number) => model[answer] as number,
      priorVariance: MODEL_VARIANCE,
      isEstimated: true,
    }),
    cell: effectsOf(modelCount * topicCount, {
      groupOf: cellOf,
      priorVariance: CELL_VARIANCE,
      isEstimated: true,
    }),
  };
  const linear = Float64Array.from(answers.offset);
  let dispersion = 1;
  const initial = { model: MODEL_VARIANCE, cell: CELL_VARIANCE };
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const group of Object.values(effects)) updateEffects(group, { answers, linear, dispersion });
    dispersion = dispersionOf(linear, { score, freedom: degreesOf(effects.model, effects.cell) });
    estimateVariance(effects.model, initial.model);
    estimateVariance(effects.cell, initial.cell);
  }
  const skill = new Float64Array(modelCount * topicCount);
  const variance = new Float64Array(skill.length);
  for (let at = 0; at < skill.length; at++) {
    const row = Math.floor(at / topicCount);
    skill[at] = (effects.model.value[row] as number) + (effects.cell.value[at] as number);
    variance[at] = (effects.model.variance[row] as number) + (effects.cell.variance[at] as number);
  }
  const common = effects.all.value[0] as number;
  return { shift: effects.topic.value.map((value) => value + common), skill, variance, dispersion };
}

function effectsOf(
  count: number,
  options: Pick<Effects, "groupOf" | "priorVariance" | "isEstimated">,
): Effects {
  return {
    ...options,
    value: new Float64Array(count),
    variance: new Float64Array(count).fill(options.priorVariance),
  };
}

interface FitState {
  readonly answers: ExpectedAnswers;
  /** Expected log-odds with all effects, `[answers]`; updated in place. */
  readonly linear: Float64Array;
  readonly dispersion: number;
}

/** A Newton step for every effect of the group, the others fixed. */
function updateEffects(
  { groupOf, value, variance, priorVariance }: Effects,
  { answers, linear, dispersion }: FitState,
): void {
  const gradient = new Float64Array(value.length);
  const information = new Float64Array(value.length);
  for (let answer = 0; answer < linear.length; answer++) {
    const group = groupOf(answer);
    const mean = logisticLink.mean(linear[answer] as number);
    const weight = (answers.weight[answer] as number) / dispersion;
    gradient[group] = (gradient[group] as number) + weight * ((answers.score[answer] as number) - mean);
    information[group] = (information[group] as number) + weight * logisticLink.weight(mean);
  }
  const steps = value.map((current, group) => {
    const precision = (information[group] as number) + 1 / priorVariance;
    variance[group] = 1 / precision;
    const step = ((gradient[group] as number) - current / priorVariance) / precision;
    return Math.max(-1, Math.min(1, step));
  });
  steps.forEach((step, group) => {
    value[group] = (value[group] as number) + step;
  });
  for (let answer = 0; answer < linear.length; answer++)
    linear[answer] = (linear[answer] as number) + (steps[groupOf(answer)] as number);
}

/** The variance that explains the effects of groups with answers, with the initial one as some further effects. */
function estimateVariance(effects: Effects, initial: number): void {
  let sum = PSEUDO_CORRECTIONS * initial;
  let count = PSEUDO_CORRECTIONS;
  effects.value.forEach((value, group) => {
    const variance = effects.variance[group] as number;
    if (variance > 0.999 * effects.priorVariance) return;
    sum += value ** 2 + variance;
    count += 1;
  });
  effects.priorVariance = sum / count;
}

/** Answers that the effects use up. */
const degreesOf = (...groups: readonly Effects[]): number =>
  groups.reduce(
    (sum, { variance, priorVariance }) =>
      sum + variance.reduce((used, each) => used + Math.max(0, 1 - each / priorVariance), 0),
    0,
  );

function dispersionOf(
  linear: Float64Array,
  { score, freedom }: { readonly score: Float32Array; readonly freedom: number },
): number {
  let squares = 0;
  let expected = 0;
  linear.forEach((value, answer) => {
    const mean = logisticLink.mean(value);
    squares += ((score[answer] as number) - mean) ** 2;
    expected += logisticLink.weight(mean);
  });
  const share = Math.max(0.1, 1 - freedom / Math.max(1, linear.length));
  return Math.min(1, Math.max(LEAST_DISPERSION, squares / Math.max(1e-9, share * expected)));
}
