import { seededRandom } from "./random.js";

/** A value with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A figure over prompts. @param weights how often each prompt counts, `[prompts]` */
export type Statistic = (weights: ArrayLike<number>) => number;

export interface BootstrapOptions {
  /** Default 1,000. */
  readonly resamples?: number;
  readonly seed?: number;
}

const RESAMPLES = 1000;

/**
 * Estimates of several figures over the same prompts, by drawing the prompts anew with replacement (percentile bootstrap). All
 * figures see the same draws, so that a difference of two is paired. O(resamples × prompts).
 *
 * @param count of prompts; NaN for a figure that is NaN on most draws
 */
export function bootstrapEstimates<Name extends string>(
  count: number,
  statistics: Readonly<Record<Name, Statistic>>,
  { resamples = RESAMPLES, seed = 0 }: BootstrapOptions = {},
): Record<Name, Estimate> {
  const names = Object.keys(statistics) as Name[];
  const random = seededRandom(seed);
  const once = new Uint16Array(count).fill(1);
  const drawn = new Map<Name, number[]>(names.map((name) => [name, []]));
  const weights = new Uint16Array(count);
  for (let resample = 0; resample < resamples; resample++) {
    weights.fill(0);
    for (let draw = 0; draw < count; draw++) {
      const prompt = Math.floor(random() * count);
      weights[prompt] = (weights[prompt] as number) + 1;
    }
    for (const name of names) drawn.get(name)?.push(statistics[name](weights));
  }
  const estimates = names.map((name) => {
    const values = (drawn.get(name) ?? []).filter(Number.isFinite).sort((a, b) => a - b);
    const enough = values.length >= resamples / 2;
    const at = (share: number): number => (enough ? quantileOf(values, share) : Number.NaN);
    return [name, { value: statistics[name](once), low: at(0.025), high: at(0.975) }] as const;
  });
  return Object.fromEntries(estimates) as Record<Name, Estimate>;
}

/** Linear between the two nearest ranks; NaN for no values. @param sorted ascending @param share in [0, 1] */
export function quantileOf(sorted: readonly number[], share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? Number.NaN;
  return below + (above - below) * (position - Math.floor(position));
}
