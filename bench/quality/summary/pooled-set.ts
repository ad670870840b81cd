import { seededRandom } from "../../../src/foundation/random.js";
import type { GradedCosts } from "../../../src/workbench/evaluation/costs.js";
import { takePrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { type PartKind, partKindOf } from "../measure/leave-out.js";
import type { SeedMeasurement } from "../measure/measure-seed.js";
import type { OutcomeRows } from "../outcomes/outcome-rows.js";

/** One split's test part with what was measured on it. */
export interface SplitResult {
  readonly measurement: SeedMeasurement;
  /** Of the test prompts, in the order of all choices. */
  readonly rows: OutcomeRows;
  /** Dollars `[test × models]`, NaN where not known; null for a set without costs. */
  readonly costUsd: Float64Array | null;
}

/** A statistic with its 95 % interval (percentiles of a bootstrap over prompts). */
export interface Estimate {
  /** Mean over the splits; null when no split gives one. */
  readonly value: number | null;
  readonly low: number;
  readonly high: number;
  /** By split. */
  readonly samples: readonly number[];
}

/** A statistic of one split by how often each test prompt counts, `[test]`. What can be computed once stands outside. */
export type Statistic = (split: SplitResult) => (weights: ArrayLike<number>) => number;

export interface PooledSet {
  readonly name: string;
  readonly models: readonly string[];
  readonly costs: GradedCosts | null;
  /** What is left out in turn. */
  readonly partKind: PartKind;
  readonly splits: readonly SplitResult[];
  /**
   * A prompt that is tested in several splits is resampled once for all of them, so that it does not count as several
   * prompts. Methods are compared on the same resamples.
   */
  estimate(statistic: Statistic, resamples?: number): Estimate;
}

export const RESAMPLES = 1000;

export function poolSet(
  set: { readonly name: string; readonly rows: OutcomeRows; readonly costs: GradedCosts | null },
  measurements: readonly SeedMeasurement[],
): PooledSet {
  const { name, rows, costs } = set;
  const splits = measurements.map((measurement): SplitResult => {
    const withCosts = costs === null ? rows : { ...rows, costUsd: costs.usd };
    const taken = takePrompts(withCosts, measurement.testIndexes);
    return { measurement, rows: taken, costUsd: costs === null ? null : taken.costUsd };
  });
  const draws = drawAll(splits, rows.prompts.length);
  return {
    name,
    models: rows.models,
    costs,
    partKind: partKindOf(rows.prompts),
    splits,
    estimate(statistic, resamples = RESAMPLES) {
      const ready = splits.map(statistic);
      const samples = ready.map((of, split) =>
        of(new Uint8Array(splits[split]?.rows.prompts.length ?? 0).fill(1)),
      );
      const drawn = draws
        .slice(0, resamples)
        .map((weights) => meanOfKnown(ready.map((of, split) => of(weights[split] as Uint8Array))))
        .filter((value) => !Number.isNaN(value))
        .sort((a, b) => a - b);
      const value = meanOfKnown(samples);
      return {
        value: Number.isNaN(value) ? null : value,
        low: percentile(drawn, 0.025),
        high: percentile(drawn, 0.975),
        samples,
      };
    },
  };
}

/** How often each prompt counts, by resample and split. */
function drawAll(splits: readonly SplitResult[], prompts: number): Uint8Array[][] {
  const tested = new Set(splits.flatMap(({ measurement }) => [...measurement.testIndexes]));
  const indexes = Int32Array.from(tested).sort();
  const random = seededRandom(0);
  return Array.from({ length: RESAMPLES }, () => {
    const times = new Uint8Array(prompts);
    for (let draw = 0; draw < indexes.length; draw++) {
      const index = indexes[Math.floor(random() * indexes.length)] as number;
      times[index] = (times[index] as number) + 1;
    }
    return splits.map(({ measurement }) =>
      Uint8Array.from(measurement.testIndexes, (index) => times[index] as number),
    );
  });
}

function meanOfKnown(values: readonly number[]): number {
  const known = values.filter((value) => !Number.isNaN(value));
  return known.reduce((sum, value) => sum + value, 0) / known.length;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
