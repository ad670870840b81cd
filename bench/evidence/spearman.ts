/** Ranks from 1 on, equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start + 1;
    while (end < order.length && values[order[end] ?? 0] === values[order[start] ?? 0]) end += 1;
    for (let position = start; position < end; position++)
      ranks[order[position] ?? 0] = (start + end + 1) / 2;
    start = end;
  }
  return ranks;
}

/** Rank correlation in [−1, 1]; NaN for fewer than two values, or when one side is all equal. */
export function spearman(left: readonly number[], right: readonly number[]): number {
  return pearson(ranksOf(left), ranksOf(right));
}

function pearson(left: readonly number[], right: readonly number[]): number {
  const [meanLeft, meanRight] = [meanOf(left), meanOf(right)];
  let [product, squaresLeft, squaresRight] = [0, 0, 0];
  left.forEach((value, index) => {
    const [a, b] = [value - meanLeft, (right[index] ?? Number.NaN) - meanRight];
    product += a * b;
    squaresLeft += a * a;
    squaresRight += b * b;
  });
  return squaresLeft > 0 && squaresRight > 0 ? product / Math.sqrt(squaresLeft * squaresRight) : Number.NaN;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Mean rank correlation over all pairs of rows, each over the columns that both know (NaN = not known). */
export function meanPairwiseSpearman(
  rows: readonly (readonly number[])[],
  { fewestColumns }: { readonly fewestColumns: number },
): { readonly mean: number; readonly pairs: number } {
  const found: number[] = [];
  rows.forEach((left, index) => {
    for (const right of rows.slice(index + 1)) {
      const both = [...left.keys()].filter((at) => !Number.isNaN(left[at]) && !Number.isNaN(right[at]));
      if (both.length < fewestColumns) continue;
      const value = spearman(
        both.map((at) => left[at] as number),
        both.map((at) => right[at] as number),
      );
      if (!Number.isNaN(value)) found.push(value);
    }
  });
  return { mean: meanOf(found), pairs: found.length };
}
