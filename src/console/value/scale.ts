import type { Interval } from "../components/format.js";

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
