/** Values with gaps, or ends, on both sides. */
export function isolatedIn(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (at: number): boolean => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}

/** Values that a chart shows by name. */
const MOST_GROUPS = 5;

interface Grouped {
  readonly group: string | null;
}

/** The values with the largest figure, the largest first. */
export const largest = <Point extends Grouped>(
  totals: readonly Point[],
  figure: (point: Point) => number,
): readonly (string | null)[] =>
  totals
    .toSorted((left, right) => figure(right) - figure(left))
    .slice(0, MOST_GROUPS)
    .map(({ group }) => group);
