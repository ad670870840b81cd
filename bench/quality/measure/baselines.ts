import { chooseBest } from "../baselines/choose-best.js";
import { predictByLabel } from "../baselines/label-table.js";
import { predictByNearest } from "../baselines/nearest.js";
import { sweepTradeOffs, tradeOffs } from "../baselines/sweep.js";
import { modelMeans, type PromptOutcomes } from "../outcomes/outcome-set.js";
import type { Findings, SeedContext, SplitCosts } from "./context.js";

/** A baseline's expectations: quality of every model, and cost of the priced ones beside it where costs are known. */
type Predict = (training: PromptOutcomes, context: SeedContext) => Float64Array;

const PREDICTORS: readonly (readonly [string, Predict])[] = [
  ["knn20", (training, { vectors }) => predictByNearest(training, vectors)],
  ["label_table", (training, { test }) => predictByLabel(training, test.prompts)],
];

export function measureBaselines(context: SeedContext): Findings {
  const best = indexOfLargest(modelMeans(context.train));
  const choices: Record<string, Int16Array> = {
    best_single: new Int16Array(context.test.prompts.length).fill(best),
  };
  const expectations: Record<string, Float32Array> = {};
  const sweeps: Record<string, readonly Int16Array[]> = {};
  for (const [name, predict] of PREDICTORS) {
    const { quality, cost } = expect(predict, context);
    choices[name] = chooseBest(quality, context);
    expectations[name] = Float32Array.from(quality);
    if (context.costs === null || cost === null) continue;
    sweeps[name] = sweepTradeOffs({ quality, cost }, context.test, pricesOf(context.costs));
  }
  return { choices, expectations, sweeps };
}

/** One kernel search gives both quality and cost: the costs are more columns of the same table. */
function expect(
  predict: Predict,
  context: SeedContext,
): { readonly quality: Float64Array; readonly cost: Float64Array | null } {
  const { train, costs } = context;
  if (costs === null) return { quality: predict(train, context), cost: null };
  const width = train.models.length;
  const known = costs.train.map((usd) => (Number.isNaN(usd) ? 0 : usd));
  const both = predict({ ...train, ...joinColumns(train, known) }, context);
  const cells = (both.length / 2) | 0;
  const quality = new Float64Array(cells);
  const cost = new Float64Array(cells).fill(Number.POSITIVE_INFINITY);
  for (let cell = 0; cell < cells; cell++) {
    const start = Math.floor(cell / width) * 2 * width;
    const model = cell % width;
    quality[cell] = both[start + model] ?? 0;
    if (costs.priced.includes(model)) cost[cell] = both[start + width + model] ?? 0;
  }
  return { quality, cost };
}

function joinColumns(
  { models, quality }: PromptOutcomes,
  cost: Float64Array,
): Pick<PromptOutcomes, "models" | "quality"> {
  const width = models.length;
  const joined = new Float64Array(2 * quality.length);
  for (let row = 0; row * width < quality.length; row++) {
    joined.set(quality.subarray(row * width, (row + 1) * width), 2 * row * width);
    joined.set(cost.subarray(row * width, (row + 1) * width), (2 * row + 1) * width);
  }
  return { models: [...models, ...models.map((model) => `${model} cost`)], quality: joined };
}

/** The trade-offs that baselines are swept along. */
export function pricesOf({ priced, train }: SplitCosts): number[] {
  const known = train.filter((usd) => !Number.isNaN(usd));
  return priced.length === 0 ? [0] : tradeOffs(known.reduce((sum, usd) => sum + usd, 0) / known.length);
}

export function indexOfLargest(values: ArrayLike<number>): number {
  let largest = 0;
  for (let index = 1; index < values.length; index++) {
    if ((values[index] ?? 0) > (values[largest] ?? 0)) largest = index;
  }
  return largest;
}
