/** Share of choices that stay the same; NaN without any. */
export function shareKept(
  before: ArrayLike<number>,
  after: ArrayLike<number>,
  weights: ArrayLike<number>,
): number {
  let kept = 0;
  let total = 0;
  for (let place = 0; place < before.length; place++) {
    const weight = weights[place] ?? 0;
    total += weight;
    if (before[place] === after[place]) kept += weight;
  }
  return kept / total;
}
