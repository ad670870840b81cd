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
export function calibrationBins({ expected, seen }: Forecasts, bins = BINS): CalibrationBin[] {
  const order = Uint32Array.from(expected, (_, index) => index).sort(
    (a, b) => (expected[a] ?? 0) - (expected[b] ?? 0) || a - b,
  );
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

/** ECE: mean distance of expectation and outcome over the bins, weighted by their sizes. */
export function expectedCalibrationError(forecasts: Forecasts): number {
  const bins = calibrationBins(forecasts);
  const total = bins.reduce((sum, { count }) => sum + count, 0);
  return bins.reduce((sum, { expected, seen, count }) => sum + count * Math.abs(expected - seen), 0) / total;
}

/**
 * The ECE that perfect forecasts would show on as many prompts, by drawing outcomes from the forecasts themselves: with few
 * prompts in a bin none is seen to be 0.
 */
export function calibrationFloor(
  expected: Float64Array,
  { random, draws }: { readonly random: () => number; readonly draws: number },
): number {
  let sum = 0;
  for (let draw = 0; draw < draws; draw++) {
    const seen = expected.map((probability) => (random() < probability ? 1 : 0));
    sum += expectedCalibrationError({ expected, seen });
  }
  return sum / draws;
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
