import type { Interval } from "../../components/format.js";

const SAMPLES = [300, 1000];

/**
 * Numbers of requests to choose from, rising; the first is what is read unless another is chosen.
 *
 * @param most what the gateway allows; undefined: not known yet
 */
export function samplesUpTo(most: number | undefined): readonly string[] {
  const samples = most === undefined ? SAMPLES : [...SAMPLES, most].map((sample) => Math.min(sample, most));
  return [...new Set(samples)].map(String);
}

/** Ends of a scale, which contains 0. */
export interface Scale {
  readonly from: number;
  readonly to: number;
}

/**
 * Of all the intervals and 0.
 *
 * @param options.most where the scale ends at the latest
 */
export function scaleOf(
  intervals: readonly Interval[],
  { most = Number.POSITIVE_INFINITY }: { readonly most?: number } = {},
): Scale {
  const ends = intervals.flatMap(({ low, high }) => [low, high]);
  const [from, to] = [Math.min(0, ...ends), Math.min(most, Math.max(0, ...ends))];
  return from === to ? { from: -1, to: 1 } : { from, to };
}
