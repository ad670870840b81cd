import type { SparseCell, SparseSet } from "../evidence/sparse-set.js";
import { spearman } from "../evidence/spearman.js";
import { mean } from "../report/statistics.js";
import type { Expectations } from "./expectations.js";

/** Measured and expected mean of a model on the same prompts. */
export interface StatedMeans {
  readonly model: string;
  /** Prompts it was scored on. */
  readonly prompts: number;
  readonly measured: number;
  /** Sampling variance of `measured`. */
  readonly measuredVariance: number;
  readonly expected: number;
  /** Stated standard error: the mean over the prompts, assuming fully correlated errors. */
  readonly stderr: number;
}

/** A model on a set. */
export interface ModelMeans extends StatedMeans {
  /** Both means minus those of all known models on the same prompts, which removes the effect of easy prompts. */
  readonly adjusted: { readonly measured: number; readonly expected: number };
}

/** The compared means of one set. */
export interface SetMeans {
  readonly set: string;
  /** Models that the set has. */
  readonly entries: number;
  /** Those that the profiles know. */
  readonly known: readonly ModelMeans[];
}

/** With fewer known models there is no rank correlation. */
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
  const isKnown = (model: string): boolean => !Number.isNaN(sums.get(model)?.expected ?? Number.NaN);
  const adjusted = adjustedSums(
    set.cells.filter(({ model }) => isKnown(model)),
    ({ model, prompt }) => quality[prompt * models.length + (columnOf.get(model) ?? 0)] as number,
  );
  const known = [...sums].flatMap(([model, { count, score, squares, expected, error }]): ModelMeans[] => {
    if (Number.isNaN(expected)) return [];
    const measured = score / count;
    const apart = adjusted.get(model) ?? { measured: 0, expected: 0 };
    return [
      {
        ...{ model, prompts: count, measured },
        measuredVariance: meanVariance({ count, mean: measured, squares }),
        expected: expected / count,
        stderr: error / count,
        adjusted: { measured: apart.measured / count, expected: apart.expected / count },
      },
    ];
  });
  return { set: set.name, entries: sums.size, known: known.sort((a, b) => (a.model < b.model ? -1 : 1)) };
}

/** By model, what its scores and expectations on all prompts are above the means of all cells of the prompt. */
function adjustedSums(
  cells: SparseSet["cells"],
  expectedOf: (cell: SparseCell) => number,
): Map<string, { measured: number; expected: number }> {
  const byPrompt = new Map<number, { count: number; measured: number; expected: number }>();
  for (const cell of cells) {
    const sum = byPrompt.get(cell.prompt) ?? { count: 0, measured: 0, expected: 0 };
    byPrompt.set(cell.prompt, sum);
    sum.count += 1;
    sum.measured += cell.score;
    sum.expected += expectedOf(cell);
  }
  const byModel = new Map<string, { measured: number; expected: number }>();
  for (const cell of cells) {
    const all = byPrompt.get(cell.prompt) ?? { count: 1, measured: 0, expected: 0 };
    const own = byModel.get(cell.model) ?? { measured: 0, expected: 0 };
    byModel.set(cell.model, own);
    own.measured += cell.score - all.measured / all.count;
    own.expected += expectedOf(cell) - all.expected / all.count;
  }
  return byModel;
}

/**
 * Sampling variance of a mean of scores in [0, 1], with one success and one failure added, so that five right answers
 * of five have a variance.
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
export function rankCorrelation(known: readonly Pick<StatedMeans, "expected" | "measured">[]): number {
  if (known.length < FEWEST_MODELS) return Number.NaN;
  return spearman(
    known.map(({ expected }) => expected),
    known.map(({ measured }) => measured),
  );
}

/** Mean of the sets' rank correlations, over the sets that have one. */
export function meanRankCorrelation(
  sets: readonly (readonly Pick<StatedMeans, "expected" | "measured">[])[],
): number {
  const values = sets.map(rankCorrelation).filter((value) => !Number.isNaN(value));
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Mean over all that was scored in a set, so that a model counts by its prompts. */
export function levelOf(known: readonly ModelMeans[]): {
  readonly expected: number;
  readonly measured: number;
} {
  const over = (of: "expected" | "measured"): number =>
    known.reduce((sum, means) => sum + means.prompts * means[of], 0) /
    known.reduce((sum, { prompts }) => sum + prompts, 0);
  return { expected: over("expected"), measured: over("measured") };
}

/** Models that were scored on fewer prompts differ by chance. */
const FEWEST_PROMPTS = 5;

/** What a difference between models that is expected comes to: slope of the regression of measured on expected adjusted means. */
export function slopeOf(known: readonly ModelMeans[]): number {
  const means = known.filter(({ prompts }) => prompts >= FEWEST_PROMPTS).map((model) => model.adjusted);
  const centre = {
    expected: mean(means.map(({ expected }) => expected)),
    measured: mean(means.map(({ measured }) => measured)),
  };
  let [product, squares] = [0, 0];
  for (const { expected, measured } of means) {
    product += (expected - centre.expected) * (measured - centre.measured);
    squares += (expected - centre.expected) ** 2;
  }
  return product / squares;
}

/** Whether the measured mean is within so many standard errors, combining the stated error and the measurement error. */
export function isWithin(
  { measured, measuredVariance, expected, stderr }: StatedMeans,
  errors: number,
): boolean {
  return Math.abs(measured - expected) <= errors * Math.sqrt(stderr * stderr + measuredVariance);
}

export const shareWithin = (means: readonly StatedMeans[], errors: number): number =>
  means.filter((mean) => isWithin(mean, errors)).length / means.length;
