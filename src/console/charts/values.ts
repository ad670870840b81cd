/** Values with gaps, or ends, on both sides. */
export function isolatedIn(values: ArrayLike<number | null | undefined>): number[] {
  const isKnown = (at: number): boolean => values[at] !== null && values[at] !== undefined;
  return Array.from(values, (_, at) => at).filter(
    (at) => isKnown(at) && !isKnown(at - 1) && !isKnown(at + 1),
  );
}
