import { estimatePromptTokens } from "../../engine/index.js";
import type { ModelFacts, ModelLookup } from "../../engine/router/candidate.js";
import type { GradedPrompts } from "./graded-prompts.js";

/** Where the costs of a set come from: recorded with the answers, tokens × list prices, or the one for some answers and the other for others. */
type CostSource = "recorded" | "listed" | "mixed";

export interface GradedCosts {
  readonly source: CostSource;
  /** Columns of the models whose cost is known, ascending; at least 2. */
  readonly priced: readonly number[];
  /** `[prompts × models]` in dollars, NaN in the columns that are not priced. */
  readonly usd: Float64Array;
}

/** Share of a model's cells that must be known; the others get the mean of the model's known ones. */
const LEAST_KNOWN = 0.9;

/**
 * What each answer cost, as decisions expect it: the recorded cost, else the answer's recorded tokens at the model's list price, prompt
 * tokens being estimated from the text where they were not recorded. Null where fewer than two models have a cost.
 */
export function gradedCostsOf(rows: GradedPrompts, lookup: ModelLookup): GradedCosts | null {
  const listed = listedCosts(rows, lookup);
  const recorded = pricedColumns(rows, rows.costUsd);
  const usd = rows.costUsd.map((known, cell) => (Number.isNaN(known) ? (listed[cell] as number) : known));
  const priced = pricedColumns(rows, usd);
  if (priced.length < 2) return null;
  const source = priced.every((column) => recorded.includes(column))
    ? "recorded"
    : rows.costUsd.every(Number.isNaN)
      ? "listed"
      : "mixed";
  return finish(rows, { source, priced, usd });
}

function listedCosts(rows: GradedPrompts, lookup: ModelLookup): Float64Array {
  const prices = rows.models.map((model) => lookup(model).price);
  const width = rows.models.length;
  return Float64Array.from(rows.tokensOut, (tokensOut, cell) => {
    const price = prices[cell % width] as ModelFacts["price"];
    if (price === null) return Number.NaN;
    const prompt = rows.prompts[Math.floor(cell / width)];
    const recorded = rows.tokensIn[cell] ?? Number.NaN;
    const tokensIn = Number.isNaN(recorded)
      ? estimatePromptTokens([{ role: "user", content: prompt?.text ?? "" }])
      : recorded;
    return (price.inputUsdPerMtok * tokensIn + price.outputUsdPerMtok * tokensOut) / 1e6;
  });
}

function pricedColumns({ prompts, models }: GradedPrompts, usd: Float64Array): number[] {
  const known = new Float64Array(models.length);
  for (let cell = 0; cell < usd.length; cell++) {
    if (!Number.isNaN(usd[cell])) known[cell % models.length] = (known[cell % models.length] ?? 0) + 1;
  }
  return models
    .map((_, model) => model)
    .filter((model) => (known[model] ?? 0) >= LEAST_KNOWN * prompts.length && prompts.length > 0);
}

function finish({ models }: GradedPrompts, costs: GradedCosts): GradedCosts {
  const width = models.length;
  const usd = new Float64Array(costs.usd.length).fill(Number.NaN);
  for (const model of costs.priced) {
    let sum = 0;
    let known = 0;
    for (let cell = model; cell < usd.length; cell += width) {
      const value = costs.usd[cell] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      known += 1;
    }
    for (let cell = model; cell < usd.length; cell += width) {
      const value = costs.usd[cell] ?? Number.NaN;
      usd[cell] = Number.isNaN(value) ? sum / known : value;
    }
  }
  return { ...costs, usd };
}
