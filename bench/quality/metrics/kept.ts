/** Share of choices that stay the same; NaN without any. */
export function shareKept(
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  weights: ArrayLike<number>,
): number {
  let kept = 0;
  let total = 0;
  for (let index = 0; index < before.length; index++) {
    const weight = weights[index] ?? 0;
    total += weight;
    if (before[index] === after[index]) kept += weight;
  }
  return kept / total;
}
