import type { Router } from "../../../src/engine/router/router.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Cost weights that are measured: 0, 0.05, … 1. */
export const COST_WEIGHTS: readonly number[] = Array.from({ length: 21 }, (_, step) => step / 20);

/** The shipped path at cost weight 0 over all models, and along its cost weight over the models whose cost is known. */
export async function measureOurs(router: Router, context: SeedContext): Promise<Findings> {
  const { test, costs, signal } = context;
  const texts = textsOf(test);
  const { selected, expected } = await routeTexts(router, texts, {
    models: test.models,
    costWeight: 0,
    signal,
  });
  if (costs === null) return { choices: { ours: selected }, expectations: { ours: expected } };
  const sweep: Int16Array[] = [];
  const numbers: Record<string, number> = {};
  for (const [step, costWeight] of COST_WEIGHTS.entries()) {
    const options = { models: test.models, candidates: costs.priced, costWeight, signal };
    sweep.push((await routeTexts(router, texts, options)).selected);
    numbers[`promised/${step}`] = router.meaningOf(costWeight)?.meanCostUsd ?? Number.NaN;
  }
  return {
    choices: { ours: selected },
    expectations: { ours: expected },
    sweeps: { ours: sweep },
    numbers,
  };
}
