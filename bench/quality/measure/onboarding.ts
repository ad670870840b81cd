import type { OutcomeRows } from "../outcomes/outcome-rows.js";
import { modelMeans } from "../outcomes/outcome-set.js";
import { sampleByHash } from "../outcomes/split.js";
import { type Observed, openShipped } from "../shipped/open-shipped.js";
import { routeTexts } from "../shipped/route-texts.js";
import { indexOfLargest } from "./baselines.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Labels of the new model that are tried. */
export const ONBOARDING_LABELS: readonly number[] = [100, 300];

/**
 * Adds the best single model of the set as a new model: the set without it, and with it scored on a few training
 * prompts only, the others on all. Its value with all labels is in the plain measurement.
 */
export async function measureOnboarding(context: SeedContext): Promise<Findings> {
  const { train } = context;
  if (train.models.length < 3) return {};
  const newcomer = indexOfLargest(modelMeans(train));
  const choices: Record<string, Int16Array> = { "onboarding/0": await route(context, notScored(newcomer)) };
  for (const labels of ONBOARDING_LABELS) {
    if (labels >= train.prompts.length) continue;
    choices[`onboarding/${labels}`] = await route(context, scoredOn(train, { newcomer, labels }));
  }
  return { choices };
}

function notScored(newcomer: number): Observed {
  return (_, model) => model !== newcomer;
}

function scoredOn(
  train: OutcomeRows,
  { newcomer, labels }: { readonly newcomer: number; readonly labels: number },
): Observed {
  const rows = new Set(sampleByHash(train.prompts, labels, "sextant-onboarding"));
  return (row, model) => model !== newcomer || rows.has(row);
}

async function route(context: SeedContext, observed: Observed): Promise<Int16Array> {
  const { train, test, signal } = context;
  const router = await openShipped(train, { ...context, observed });
  const { selected } = await routeTexts(router, textsOf(test), {
    models: test.models,
    costWeight: 0,
    signal,
  });
  return selected;
}
