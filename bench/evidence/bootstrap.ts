import { seededRandom } from "../../src/foundation/random.js";
import { quantile } from "../report/statistics.js";

export interface BootstrapOptions {
  readonly resamples?: number;
  readonly seed?: number;
}

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 1000;

/**
 * 95 % interval of a statistic by drawing the items of every group anew, with replacement, each group by itself (percentile
 * bootstrap). Undefined when fewer than half of the draws give a number.
 */
export function bootstrapInterval<T>(
  groups: readonly (readonly T[])[],
  statistic: (drawn: readonly (readonly T[])[]) => number,
  { resamples = RESAMPLES, seed = 0 }: BootstrapOptions = {},
): Interval | undefined {
  const random = seededRandom(seed);
  const values: number[] = [];
  for (let resample = 0; resample < resamples; resample++) {
    const drawn = groups.map((items) => items.map(() => items[Math.floor(random() * items.length)] as T));
    const value = statistic(drawn);
    if (Number.isFinite(value)) values.push(value);
  }
  if (values.length < resamples / 2) return undefined;
  return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
}
