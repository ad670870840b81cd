import type { Embedder } from "../../src/engine/embedding/embedder.js";
import type { ModelLookup } from "../../src/engine/router/candidate.js";
import { buildRouter } from "../evidence/build-router.js";
import { type EvidenceData, withoutOwnBenchmarks } from "../evidence/evidence-data.js";
import { type SparseSet, takePrompts } from "../evidence/sparse-set.js";
import { splitHash } from "../quality/outcomes/split.js";
import { type Routed, routeTexts } from "../quality/shipped/route-texts.js";
import type { FrontierOptions } from "./options.js";
import type { PaidAnswers } from "./paid-answers.js";
import type { PromptResult } from "./saving.js";

/** 0, 0.01, … 1: where the best model is far ahead, the saving for one point of quality is between the first few. */
export const COST_WEIGHTS: readonly number[] = Array.from({ length: 101 }, (_, step) => step / 100);

export interface CrossValidateOptions {
  readonly data: EvidenceData;
  readonly options: FrontierOptions;
  readonly embedder: Embedder;
  /** Facts for decisions: without prices where dollars were recorded. */
  readonly lookup: ModelLookup;
  readonly signal: AbortSignal | undefined;
  readonly onStep: (step: string) => void;
}

/** Every prompt routed by a set that was built without it, among the models that the set profiles. In the order of the answers' prompts. */
export async function crossValidate(
  set: SparseSet,
  answers: PaidAnswers,
  { data, options, embedder, lookup, signal, onStep }: CrossValidateOptions,
): Promise<PromptResult[]> {
  const { folds, seed, tuning, evidence } = options;
  const others =
    evidence === "own" ? [] : [...data.old, ...data.current].filter(({ name }) => name !== set.name);
  const scores = evidence === "own" ? [] : withoutOwnBenchmarks(data.scores, [set.name]);
  const foldOf = (prompt: number): number =>
    Math.floor(splitHash(set.prompts[prompt]?.text ?? "", seed) * folds);
  const results: PromptResult[] = answers.promptIndexes.map(() => ({ settings: [], models: [] }));
  for (let fold = 0; fold < folds; fold++) {
    const train = [...set.prompts.keys()].filter((prompt) => foldOf(prompt) !== fold);
    const test = [...answers.promptIndexes.keys()].filter(
      (row) => foldOf(answers.promptIndexes[row] as number) === fold,
    );
    if (test.length === 0) continue;
    const what = `${set.name}, fold ${fold + 1} of ${folds}`;
    const router = await buildRouter(train.length === 0 ? others : [...others, takePrompts(set, train)], {
      ...{ embedder, scores, lookup, tuning, seed, signal },
      onStep: (step) => onStep(`${what}: ${step}`),
    });
    const texts = test.map((row) => set.prompts[answers.promptIndexes[row] as number]?.text ?? "");
    onStep(`${what}: routing`);
    const profiled = new Set(router.profiles().map(({ model }) => model));
    const candidates = [...answers.models.keys()].filter((column) =>
      profiled.has(answers.models[column] ?? ""),
    );
    const chosen: Routed[] = [];
    for (const costWeight of COST_WEIGHTS) {
      const routed = await routeTexts(router, texts, {
        models: answers.models,
        candidates,
        costWeight,
        signal,
      });
      chosen.push(routed);
    }
    test.forEach((row, at) => {
      const point = (model: number) => ({
        cost: answers.costUsd[row]?.[model] ?? Number.NaN,
        quality: answers.quality[row]?.[model] ?? Number.NaN,
      });
      results[row] = {
        settings: chosen.map(({ selected, expectedUsd }) => ({
          ...point(selected[at] as number),
          expectedUsd: expectedUsd[at] as number,
        })),
        models: answers.models.map((_, model) => point(model)),
      };
    });
  }
  return results;
}
