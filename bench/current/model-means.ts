import type { SparseSet } from "../evidence/sparse-set.js";
import { spearman } from "../evidence/spearman.js";
import type { Expectations } from "./expectations.js";

/** A model on a set: what was measured, and what was expected of the very same prompts. */
export interface ModelMeans {
  readonly model: string;
  /** Prompts it was scored on. */
  readonly prompts: number;
  readonly measured: number;
  /** Sampling variance of `measured`. */
  readonly measuredVariance: number;
  readonly expected: number;
  /** Stated standard error: the mean over the prompts, whose errors are taken to be one. */
  readonly stderr: number;
}

/** What is compared on one set. */
export interface SetMeans {
  readonly set: string;
  /** Models that the set has. */
  readonly entries: number;
  /** Those that the profiles know. */
  readonly known: readonly ModelMeans[];
}

/** Below so many known models a rank correlation says nothing. */
export const FEWEST_MODELS = 4;

export function setMeans(set: SparseSet, { models, quality, stderr }: Expectations): SetMeans {
  const columnOf = new Map(models.map((model, column) => [model, column]));
  const sums = new Map<
    string,
    { count: number; score: number; squares: number; expected: number; error: number }
  >();
  for (const { model, prompt, score } of set.cells) {
    const sum = sums.get(model) ?? { count: 0, score: 0, squares: 0, expected: 0, error: 0 };
    sums.set(model, sum);
    const column = columnOf.get(model);
    const cell = column === undefined ? -1 : prompt * models.length + column;
    sum.count += 1;
    sum.score += score;
    sum.squares += score * score;
    sum.expected += quality[cell] ?? Number.NaN;
    sum.error += stderr[cell] ?? Number.NaN;
  }
  const known = [...sums].flatMap(([model, { count, score, squares, expected, error }]): ModelMeans[] => {
    if (Number.isNaN(expected)) return [];
    const measured = score / count;
    return [
      {
        ...{ model, prompts: count, measured },
        measuredVariance: meanVariance({ count, mean: measured, squares }),
        expected: expected / count,
        stderr: error / count,
      },
    ];
  });
  return { set: set.name, entries: sums.size, known: known.sort((a, b) => (a.model < b.model ? -1 : 1)) };
}

/**
 * Sampling variance of a mean of scores in [0, 1], with one success and one failure added: five right answers of five are
 * not sure to be right.
 */
export function meanVariance({
  count,
  mean,
  squares,
}: {
  readonly count: number;
  readonly mean: number;
  /** Sum of the squared scores. */
  readonly squares: number;
}): number {
  const [sum, total] = [count * mean + 1, count + 2];
  return ((squares + 1) / total - (sum / total) ** 2) / total;
}

/** Rank correlation of expected and measured means; NaN below four models. */
export function rankCorrelation(known: readonly Pick<ModelMeans, "expected" | "measured">[]): number {
  if (known.length < FEWEST_MODELS) return Number.NaN;
  return spearman(
    known.map(({ expected }) => expected),
    known.map(({ measured }) => measured),
  );
}

/** Mean of the sets' rank correlations, over the sets that have one. */
export function meanRankCorrelation(
  sets: readonly (readonly Pick<ModelMeans, "expected" | "measured">[])[],
): number {
  const values = sets.map(rankCorrelation).filter((value) => !Number.isNaN(value));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Whether the measured mean lies within so many standard errors, the stated one and that of the measuring together. */
export function isWithin(
  { measured, measuredVariance, expected, stderr }: ModelMeans,
  errors: number,
): boolean {
  return Math.abs(measured - expected) <= errors * Math.sqrt(stderr * stderr + measuredVariance);
}

export const shareWithin = (means: readonly ModelMeans[], errors: number): number =>
  means.filter((each) => isWithin(each, errors)).length / means.length;

/** Of the pairs of variants of one model that measure clearly apart (two standard errors): is the better one expected to be? */
export function variantsToldApart(known: readonly ModelMeans[]): {
  readonly pairs: number;
  readonly right: number;
} {
  let [pairs, right] = [0, 0];
  known.forEach((a, place) => {
    for (const b of known.slice(place + 1)) {
      if (baseOf(a.model) !== baseOf(b.model)) continue;
      const difference = a.measured - b.measured;
      if (Math.abs(difference) < 2 * Math.sqrt(a.measuredVariance + b.measuredVariance)) continue;
      pairs += 1;
      if (difference * (a.expected - b.expected) > 0) right += 1;
    }
  });
  return { pairs, right };
}

const baseOf = (model: string): string => model.split(":")[0] ?? model;
