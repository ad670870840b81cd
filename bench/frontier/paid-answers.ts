import { describeModel } from "../../src/engine/catalog/describe-model.js";
import { thinkingGuess } from "../../src/engine/catalog/effort-dial.js";
import type { ModelLookup } from "../../src/engine/router/candidate.js";
import { estimatePromptTokens } from "../../src/engine/router/prompt-size.js";
import type { SparseCell, SparseSet } from "../evidence/sparse-set.js";

/** Every model's answer to every one of some prompts, with what it cost. */
export interface PaidAnswers {
  readonly models: readonly string[];
  /** Indices into the set's prompts, ascending. */
  readonly promptIndexes: readonly number[];
  /** Dollars and score in [0, 1], `[prompts][models]`. */
  readonly costUsd: readonly (readonly number[])[];
  readonly quality: readonly (readonly number[])[];
  readonly source: "recorded" | "listed";
}

export interface PaidAnswersOptions {
  readonly lookup: ModelLookup;
  /** Share of the prompts with any known cost that a model must have been paid for. */
  readonly coverage: number;
}

/** The models with answers enough whose cost is known, and the prompts that all of them answered. */
export function paidAnswers(set: SparseSet, { lookup, coverage }: PaidAnswersOptions): PaidAnswers {
  const source = set.cells.some(({ costUsd }) => costUsd !== null) ? "recorded" : "listed";
  const byModel = new Map<string, Map<number, { readonly cost: number; readonly score: number }>>();
  const prompts = new Set<number>();
  for (const cell of set.cells) {
    const cost = source === "recorded" ? cell.costUsd : listedCost(cell, { set, lookup });
    if (cost === null) continue;
    prompts.add(cell.prompt);
    const own =
      byModel.get(cell.model) ?? new Map<number, { readonly cost: number; readonly score: number }>();
    byModel.set(cell.model, own);
    own.set(cell.prompt, { cost, score: cell.score });
  }
  const models = [...byModel.keys()]
    .filter((model) => (byModel.get(model)?.size ?? 0) >= coverage * prompts.size)
    .sort();
  const columns = models.map((model) => byModel.get(model) ?? new Map<number, never>());
  const promptIndexes = [...prompts]
    .filter((prompt) => columns.every((own) => own.has(prompt)))
    .sort((a, b) => a - b);
  const table = (of: "cost" | "score") =>
    promptIndexes.map((prompt) => columns.map((own) => own.get(prompt)?.[of] ?? Number.NaN));
  return { models, promptIndexes, costUsd: table("cost"), quality: table("score"), source };
}

/** Null where the price is unknown, or the tokens of a model that thinks leave out its hidden reasoning, which is billed. */
function listedCost(
  { prompt, model, tokensIn, tokensOut }: SparseCell,
  { set, lookup }: { readonly set: SparseSet; readonly lookup: ModelLookup },
): number | null {
  const { price } = lookup(model);
  if (price === null || tokensOut === null) return null;
  if (set.lengths === "visible" && thinkingGuess(describeModel(model, lookup)) > 0) return null;
  const content = set.prompts[prompt]?.text ?? "";
  const sent = tokensIn ?? estimatePromptTokens([{ role: "user", content }]);
  return (price.inputUsdPerMtok * sent + price.outputUsdPerMtok * tokensOut) / 1e6;
}
