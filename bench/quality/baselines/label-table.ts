import type { BenchPrompt, PromptOutcomes } from "../outcomes/outcome-set.js";
import { modelMeans } from "../outcomes/outcome-set.js";

const PSEUDO_OBSERVATIONS = 4;

/** Expected quality when the true benchmark and category are known, `[test × models]`; shrunk to the model's mean. */
export function predictByLabel(training: PromptOutcomes, tests: readonly BenchPrompt[]): Float64Array {
  const means = modelMeans(training);
  const width = training.models.length;
  const cells = new Map<string, { readonly sums: Float64Array; count: number }>();
  for (const [row, prompt] of training.prompts.entries()) {
    const cell = cells.get(labelOf(prompt)) ?? { sums: new Float64Array(width), count: 0 };
    cell.count += 1;
    for (let model = 0; model < width; model++) {
      cell.sums[model] = (cell.sums[model] ?? 0) + (training.quality[row * width + model] ?? 0);
    }
    cells.set(labelOf(prompt), cell);
  }
  const predicted = new Float64Array(tests.length * width);
  for (const [index, prompt] of tests.entries()) {
    const cell = cells.get(labelOf(prompt));
    const row = means.map(
      (mean, model) =>
        ((cell?.sums[model] ?? 0) + PSEUDO_OBSERVATIONS * mean) / ((cell?.count ?? 0) + PSEUDO_OBSERVATIONS),
    );
    predicted.set(row, index * width);
  }
  return predicted;
}

function labelOf({ benchmark, category }: BenchPrompt): string {
  return `${benchmark}\n${category}`;
}
