import type { GradedPrompt } from "../../../src/workbench/evaluation/graded-prompts.js";

export type BenchPrompt = GradedPrompt;

/** Prompts, and the quality of each model on each of them, without gaps. */
export interface PromptOutcomes {
  readonly prompts: readonly BenchPrompt[];
  /** Original model names. */
  readonly models: readonly string[];
  /** `[prompts × models]`, row-major, in [0, 1]. */
  readonly quality: Float64Array;
}

/** One set in two parts, as every router of the bench sees it. */
export interface SplitSet {
  readonly name: string;
  readonly train: PromptOutcomes;
  readonly test: PromptOutcomes;
}

/** Mean quality of each model, `[models]`. */
export function modelMeans({ prompts, models, quality }: PromptOutcomes): Float64Array {
  const sums = new Float64Array(models.length);
  for (let cell = 0; cell < quality.length; cell++) {
    sums[cell % models.length] = (sums[cell % models.length] ?? 0) + (quality[cell] ?? 0);
  }
  return sums.map((sum) => sum / prompts.length);
}
