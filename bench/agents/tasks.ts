import { createCatalog } from "../../src/engine/catalog/catalog.js";
import type { Embedder } from "../../src/engine/embedding/embedder.js";
import { buildRouter, UNKNOWN_FACTS } from "../evidence/build-router.js";
import { modelsOf, type SparseSet, takePrompts } from "../evidence/sparse-set.js";
import { paidAnswers } from "../frontier/paid-answers.js";
import { PRICES_AT } from "../quality/load-set.js";
import { splitHash } from "../quality/outcomes/split.js";
import { routeTexts } from "../quality/shipped/route-texts.js";
import type { Task } from "./play.js";

const FOLDS = 5;
/** Share of the tasks that a candidate must have been tried on. */
const COVERAGE = 0.9;

interface TasksOptions {
  readonly embedder: Embedder;
  readonly costWeights: readonly number[];
  /** At which the model that would help is chosen. */
  readonly betterWeight: number;
  readonly seed: number;
}

/** The tasks of a set at each cost weight, with models chosen by routers that have not seen them. */
export async function tasksOf(
  set: SparseSet,
  { embedder, costWeights, betterWeight, seed }: TasksOptions,
): Promise<readonly (readonly Task[])[]> {
  const { lookup: listed } = createCatalog({ providers: [], deployments: [], prices: {} }, { at: PRICES_AT });
  const lookup = (model: string) => ({ ...UNKNOWN_FACTS, price: listed(model).price });
  const { models, promptIndexes, costUsd, quality } = paidAnswers(set, { lookup, coverage: COVERAGE });
  const textOf = (prompt: number): string => set.prompts[prompt]?.text ?? "";
  const foldOf = (prompt: number): number => Math.floor(splitHash(textOf(prompt), seed) * FOLDS);
  const attempt = (row: number, model: number) => ({
    solved: quality[row]?.[model] ?? Number.NaN,
    usd: costUsd[row]?.[model] ?? Number.NaN,
  });
  const tasks: Task[][] = costWeights.map(() => []);
  for (let fold = 0; fold < FOLDS; fold++) {
    const train = [...set.prompts.keys()].filter((prompt) => foldOf(prompt) !== fold);
    const rows = [...promptIndexes.keys()].filter((row) => foldOf(promptIndexes[row] as number) === fold);
    const router = await buildRouter([takePrompts(set, train)], {
      embedder,
      lookup,
      tuning: "defaults",
      seed,
    });
    const texts = rows.map((row) => textOf(promptIndexes[row] as number));
    const chosenAt = async (costWeight: number) =>
      (await routeTexts(router, texts, { models, costWeight, candidates: [...models.keys()] })).selected;
    const better = await chosenAt(betterWeight);
    for (const [at, costWeight] of costWeights.entries()) {
      const chosen = await chosenAt(costWeight);
      for (const [index, row] of rows.entries()) {
        const [own, other] = [chosen[index] as number, better[index] as number];
        const { price } = lookup(models[other] ?? "");
        if (price === null) throw new Error(`The catalog has no price of ${models[other]}.`);
        const help = own === other ? undefined : { ...attempt(row, other), price };
        tasks[at]?.push({ chosen: attempt(row, own), better: help });
      }
    }
  }
  return tasks;
}

/** A set without dollars, at the mean dollars of each model's tasks in another, whose models alone are kept. */
export function atMeanDollars(set: SparseSet, paid: SparseSet): SparseSet {
  const meanUsd = new Map(
    modelsOf(paid).map((model) => [
      model,
      mean(paid.cells.flatMap((cell) => (cell.model === model ? (cell.costUsd ?? []) : []))),
    ]),
  );
  const cells = set.cells.flatMap((cell) => {
    const costUsd = meanUsd.get(cell.model);
    return costUsd === undefined ? [] : [{ ...cell, costUsd }];
  });
  return { ...set, cells };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
