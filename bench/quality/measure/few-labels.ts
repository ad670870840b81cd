import { takePrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { sampleByHash } from "../outcomes/split.js";
import { openShipped } from "../shipped/open-shipped.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** As many labelled prompts of its own benchmark as the published routers for pairs were given. */
export const FEW_LABELS = 1500;

/** Pairs: each benchmark with enough prompts, learned from 1,500 of its training prompts alone. */
export async function measureFewLabels(context: SeedContext): Promise<Findings> {
  const { train, test, signal } = context;
  if (train.models.length !== 2) return {};
  const expectations: Record<string, Float32Array> = {};
  for (const benchmark of new Set(train.prompts.map((prompt) => prompt.benchmark))) {
    const own = train.prompts.flatMap((prompt, index) => (prompt.benchmark === benchmark ? [index] : []));
    if (own.length <= FEW_LABELS) continue;
    const prompts = own.map((index) => train.prompts[index] as (typeof train.prompts)[number]);
    const indexes = sampleByHash(prompts, FEW_LABELS, "sextant-few-labels").map(
      (position) => own[position] as number,
    );
    const router = await openShipped(takePrompts(train, indexes), context);
    const { expected } = await routeTexts(router, textsOf(test), {
      models: test.models,
      costWeight: 0,
      signal,
    });
    expectations[`labels_${FEW_LABELS}/${benchmark}`] = expected;
  }
  return { expectations };
}
