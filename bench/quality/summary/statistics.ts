import { reachedBy, weightedMean } from "../../../src/workbench/metrics/choices.js";
import type { CostQuality } from "../../../src/workbench/metrics/hull.js";
import type { SplitResult, Statistic } from "./pooled-set.js";

/** Quality of the models that choices of this name chose; NaN on every prompt where there are none. */
export function qualityReached({ rows, measurement }: SplitResult, name: string): Float64Array {
  const choice = measurement.choices[name];
  if (choice === undefined) return new Float64Array(rows.prompts.length).fill(Number.NaN);
  return reachedBy(choice, rows.quality, rows.models.length);
}

export function meanQuality(name: string): Statistic {
  return (split) => {
    const reached = qualityReached(split, name);
    return (weights) => weightedMean(reached, weights);
  };
}

/** The first minus the second, resample by resample. */
export function difference(a: Statistic, b: Statistic): Statistic {
  return (split) => {
    const [ofA, ofB] = [a(split), b(split)];
    return (weights) => ofA(weights) - ofB(weights);
  };
}

/** Quality of the oracle: of the best model of each prompt. */
export const oracleQuality: Statistic = ({ rows }) => {
  const reached = rowsOf(rows.quality, rows.models.length).map((row) => Math.max(...row));
  return (weights) => weightedMean(reached, weights);
};

function rowsOf(table: Float64Array, width: number): Float64Array[] {
  return Array.from({ length: table.length / width }, (_, row) =>
    table.subarray(row * width, (row + 1) * width),
  );
}

/** Mean cost and quality along a sweep, by weights. */
export function sweepPoints(
  { rows, costUsd }: SplitResult,
  sweep: readonly Int16Array[],
): (weights: ArrayLike<number>) => CostQuality[] {
  const width = rows.models.length;
  const settings = sweep.map((choice) => ({
    cost: costUsd === null ? new Float64Array(0) : reachedBy(choice, costUsd, width),
    quality: reachedBy(choice, rows.quality, width),
  }));
  return (weights) =>
    settings.map(({ cost, quality }) => ({
      cost: weightedMean(cost, weights),
      quality: weightedMean(quality, weights),
    }));
}

/** One point per priced model, by weights. */
export function singlePoints(
  split: SplitResult,
  priced: readonly number[],
): (weights: ArrayLike<number>) => CostQuality[] {
  const count = split.rows.prompts.length;
  return sweepPoints(
    split,
    priced.map((model) => new Int16Array(count).fill(model)),
  );
}
