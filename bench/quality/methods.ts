import { modelMeans, type PromptOutcomes, type SplitSet } from "./outcome-set.js";

/** What a way of choosing did on the test prompts of one set. */
export interface MethodResult {
  readonly name: string;
  /** Quality of the chosen model per test prompt, `[test]`. */
  readonly reached: Float64Array;
  /** Expected quality, `[test × models]`; null for ways that expect nothing. */
  readonly predicted: Float64Array | null;
  /** Index of the chosen model, `[test]`; null for ways that choose no single one. */
  readonly selected: Int32Array | null;
}

/** Chooses the model expected best; of models expected equally good, the one better on the training part. */
export function chooseBest(name: string, predicted: Float64Array, { train, test }: SplitSet): MethodResult {
  const means = modelMeans(train);
  const width = test.models.length;
  const selected = Int32Array.from(test.prompts, (_, place) =>
    bestOf(predicted.subarray(place * width, (place + 1) * width), means),
  );
  const reached = Float64Array.from(
    selected,
    (model, place) => test.quality[place * width + model] ?? Number.NaN,
  );
  return { name, reached, predicted, selected };
}

/** Always the model with the best mean on the training part. */
export function chooseSingle(set: SplitSet): MethodResult {
  const means = modelMeans(set.train);
  const predicted = Float64Array.from(set.test.quality, (_, cell) => means[cell % means.length] ?? 0);
  return chooseBest("best single", predicted, set);
}

/** The expectation of drawing a model. */
export function chooseRandomly({ test }: SplitSet): MethodResult {
  const reached = Float64Array.from(test.prompts, (_, place) => {
    const row = rowOf(test, place);
    return row.reduce((sum, quality) => sum + quality, 0) / row.length;
  });
  return { name: "random", reached, predicted: null, selected: null };
}

/** The best model of every prompt, known only afterwards. */
export function chooseByOracle({ test }: SplitSet): MethodResult {
  const reached = Float64Array.from(test.prompts, (_, place) => Math.max(...rowOf(test, place)));
  return { name: "oracle", reached, predicted: null, selected: null };
}

function rowOf({ models, quality }: PromptOutcomes, place: number): Float64Array {
  return quality.subarray(place * models.length, (place + 1) * models.length);
}

function bestOf(expected: Float64Array, means: Float64Array): number {
  let best = 0;
  for (let model = 1; model < expected.length; model++) {
    const difference = (expected[model] ?? 0) - (expected[best] ?? 0);
    if (difference > 0 || (difference === 0 && (means[model] ?? 0) > (means[best] ?? 0))) best = model;
  }
  return best;
}
