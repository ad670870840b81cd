import { modelMeans } from "../outcome-set.js";
import { takeRows } from "../outcomes/outcome-rows.js";
import { openShipped } from "../shipped/open-shipped.js";
import { routeTexts } from "../shipped/route-texts.js";
import { indexOfLargest } from "./baselines.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Fewer test prompts of a benchmark than these say nothing. */
const LEAST_TESTS = 10;

export interface PromptParts {
  /** Name of the part of each prompt: its benchmark, or its category where a set has but one benchmark. */
  readonly kind: "benchmark" | "category";
  readonly names: readonly string[];
}

export function partsOf(
  prompts: readonly { readonly benchmark: string; readonly category: string }[],
): PromptParts {
  const several = new Set(prompts.map(({ benchmark }) => benchmark)).size > 1;
  return several
    ? { kind: "benchmark", names: prompts.map(({ benchmark }) => benchmark) }
    : { kind: "category", names: prompts.map(({ category }) => category) };
}

/**
 * Leave-one-benchmark-out: each benchmark's test prompts, routed by what the training prompts of all the others teach, and
 * the model that is best on those. The embedder is the same throughout and may know other prompts of the benchmark.
 */
export async function measureLeaveOut(
  context: SeedContext,
  onPart: (done: number, total: number) => void,
): Promise<Findings> {
  const { train, test } = context;
  const trainParts = partsOf(train.prompts).names;
  const testParts = partsOf(test.prompts).names;
  const ours = new Int16Array(test.prompts.length).fill(-1);
  const single = ours.slice();
  const names = [...new Set(testParts)].toSorted();
  for (const [done, name] of names.entries()) {
    onPart(done, names.length);
    const tested = placesWhere(testParts, (part) => part === name);
    const others = placesWhere(trainParts, (part) => part !== name);
    if (tested.length < LEAST_TESTS || others.length < LEAST_TESTS) continue;
    const learned = takeRows(train, others);
    const router = await openShipped(learned, context);
    const { selected } = await routeTexts(router, textsOf(takeRows(test, tested)), {
      models: test.models,
      costWeight: 0,
      signal: context.signal,
    });
    const best = indexOfLargest(modelMeans(learned));
    tested.forEach((place, index) => {
      ours[place] = selected[index] ?? -1;
      single[place] = best;
    });
  }
  return { choices: { "left_out/ours": ours, "left_out/single": single } };
}

function placesWhere(names: readonly string[], holds: (name: string) => boolean): number[] {
  return names.flatMap((name, place) => (holds(name) ? [place] : []));
}
