/** Rank correlation of two lists of equal length; equal values share the mean of their ranks. */
export function spearman(left: readonly number[], right: readonly number[]): number {
  const [a, b] = [ranks(left), ranks(right)];
  const middle = (left.length - 1) / 2;
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, at) => sum + (value - middle) * ((y[at] ?? middle) - middle), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
}

function ranks(values: readonly number[]): number[] {
  return values.map((value) => {
    const below = values.filter((other) => other < value).length;
    const equal = values.filter((other) => other === value).length;
    return below + (equal - 1) / 2;
  });
}
