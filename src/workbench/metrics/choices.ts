/** Mean of the values that are known; NaN without any. */
export function weightedMean(values: ArrayLike<number>, weights: ArrayLike<number>): number {
  let sum = 0;
  let total = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index] as number;
    if (Number.isNaN(value)) continue;
    sum += value * (weights[index] as number);
    total += weights[index] as number;
  }
  return sum / total;
}

/** Values of a `[prompts × models]` table at the chosen models, NaN where none was chosen. */
export function reachedBy(choice: ArrayLike<number>, table: Float64Array, width: number): Float64Array {
  return Float64Array.from({ length: choice.length }, (_, prompt) => {
    const model = choice[prompt] as number;
    return model < 0 ? Number.NaN : (table[prompt * width + model] as number);
  });
}
