import { modelMeans, type SplitSet } from "../outcomes/outcome-set.js";

/**
 * The model expected best on each test prompt; of models expected equally good, the one better on the training part.
 *
 * @param expected `[test × models]`
 */
export function chooseBest(expected: Float64Array, { train, test }: SplitSet): Int16Array {
  const means = modelMeans(train);
  const width = test.models.length;
  return Int16Array.from(test.prompts, (_, index) =>
    bestOf(expected.subarray(index * width, (index + 1) * width), means),
  );
}

function bestOf(expected: Float64Array, means: Float64Array): number {
  let best = 0;
  for (let model = 1; model < expected.length; model++) {
    const difference = (expected[model] ?? 0) - (expected[best] ?? 0);
    if (difference > 0 || (difference === 0 && (means[model] ?? 0) > (means[best] ?? 0))) best = model;
  }
  return best;
}
