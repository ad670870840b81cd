import { takePrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { type BenchPrompt, modelMeans } from "../outcomes/outcome-set.js";
import { openShipped } from "../shipped/open-shipped.js";
import { routeTexts } from "../shipped/route-texts.js";
import { indexOfLargest } from "./baselines.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Benchmarks with fewer test prompts are skipped. */
const LEAST_TESTS = 10;

/** What is left out in turn: benchmarks, or categories where a set has but one benchmark. */
export type PartKind = "benchmark" | "category";

/** @param prompts of the whole set, or of its training part */
export function partKindOf(prompts: readonly Pick<BenchPrompt, "benchmark">[]): PartKind {
  return new Set(prompts.map(({ benchmark }) => benchmark)).size > 1 ? "benchmark" : "category";
}

/**
 * Leave-one-benchmark-out: each benchmark's test prompts, routed by what was learned from the training prompts of all
 * others, and the model that is best on those. The embedder is the same throughout and may have been trained on other
 * prompts of the benchmark.
 */
export async function measureLeaveOut(
  context: SeedContext,
  onPart: (done: number, total: number) => void,
): Promise<Findings> {
  const { train, test } = context;
  const kind = partKindOf(train.prompts);
  const trainParts = train.prompts.map((prompt) => prompt[kind]);
  const testParts = test.prompts.map((prompt) => prompt[kind]);
  const ours = new Int16Array(test.prompts.length).fill(-1);
  const single = ours.slice();
  const names = [...new Set(testParts)].toSorted();
  for (const [done, name] of names.entries()) {
    onPart(done, names.length);
    const tested = indexesWhere(testParts, (part) => part === name);
    const others = indexesWhere(trainParts, (part) => part !== name);
    if (tested.length < LEAST_TESTS || others.length < LEAST_TESTS) continue;
    const learned = takePrompts(train, others);
    const router = await openShipped(learned, context);
    const { selected } = await routeTexts(router, textsOf(takePrompts(test, tested)), {
      models: test.models,
      costWeight: 0,
      signal: context.signal,
    });
    const best = indexOfLargest(modelMeans(learned));
    tested.forEach((position, index) => {
      ours[position] = selected[index] ?? -1;
      single[position] = best;
    });
  }
  return { choices: { "left_out/ours": ours, "left_out/single": single } };
}

function indexesWhere(names: readonly string[], holds: (name: string) => boolean): number[] {
  return names.flatMap((name, index) => (holds(name) ? [index] : []));
}
