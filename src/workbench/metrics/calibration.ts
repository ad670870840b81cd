export interface Forecasts {
  /** Expected qualities in [0, 1]. */
  readonly expected: Float64Array;
  /** Qualities seen, in the same order. */
  readonly seen: Float64Array;
}

export interface CalibrationBin {
  readonly expected: number;
  readonly seen: number;
  readonly count: number;
}

/** Bins of equal mass, as in the published tables. */
const BINS = 15;

/** Forecasts in bins of (nearly) equal numbers, from the lowest to the highest; empty bins are left out. */
export const calibrationBins = (forecasts: Forecasts, bins = BINS): CalibrationBin[] =>
  binsOf(forecasts, ascending(forecasts.expected), bins);

/** ECE: mean distance of expectation and outcome over the bins, weighted by their sizes. */
export const expectedCalibrationError = (forecasts: Forecasts): number =>
  errorOver(calibrationBins(forecasts));

/**
 * The ECE that perfect forecasts would show on as many prompts, by drawing outcomes from the forecasts themselves: with few
 * prompts in a bin none is seen to be 0.
 */
export function calibrationFloor(
  expected: Float64Array,
  { random, draws }: { readonly random: () => number; readonly draws: number },
): number {
  const order = ascending(expected);
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const seen = expected.map((probability) => (random() < probability ? 1 : 0));
    sum += errorOver(binsOf({ expected, seen }, order, BINS));
  }
  return sum / draws;
}

/** Indexes of the values, the lowest first; of equal values in their order. */
const ascending = (values: Float64Array): Uint32Array =>
  Uint32Array.from(values, (_, index) => index).sort(
    (a, b) => (values[a] as number) - (values[b] as number) || a - b,
  );

function binsOf({ expected, seen }: Forecasts, order: Uint32Array, bins: number): CalibrationBin[] {
  const found: CalibrationBin[] = [];
  for (let bin = 0; bin < bins; bin++) {
    const indexes = order.subarray(
      Math.floor((bin * order.length) / bins),
      Math.floor(((bin + 1) * order.length) / bins),
    );
    if (indexes.length === 0) continue;
    found.push({ expected: meanAt(expected, indexes), seen: meanAt(seen, indexes), count: indexes.length });
  }
  return found;
}

function errorOver(bins: readonly CalibrationBin[]): number {
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { expected, seen, count }) => sum + count * Math.abs(expected - seen), 0) / total;
}

/** Mean squared distance of expectation and outcome. */
export function brierScore({ expected, seen }: Forecasts): number {
  let sum = 0;
  for (let index = 0; index < expected.length; index++) {
    sum += ((expected[index] ?? 0) - (seen[index] ?? 0)) ** 2;
  }
  return sum / expected.length;
}

function meanAt(values: Float64Array, indexes: Uint32Array): number {
  let sum = 0;
  for (const index of indexes) sum += values[index] ?? 0;
  return sum / indexes.length;
}
