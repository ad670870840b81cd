import type { Router } from "../../../src/engine/router/router.js";
import { mean } from "../../report/statistics.js";
import { routeTexts } from "../shipped/route-texts.js";
import { type Findings, type SeedContext, textsOf } from "./context.js";

/** Cost weights that are measured: 0, 1, and between them prices of a hundredth from $.3 to a hundred-millionth, each a third of the one before. */
export const COST_WEIGHTS: readonly number[] = [
  0,
  ...Array.from({ length: 17 }, (_, step) => Number((1 / (1 + 4 * Math.sqrt(15 / 3 ** step))).toFixed(4))),
  1,
];

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
    const { selected, expectedUsd } = await routeTexts(router, texts, options);
    sweep.push(selected);
    numbers[`promised/${step}`] = mean([...expectedUsd]);
  }
  return {
    choices: { ours: selected },
    expectations: { ours: expected },
    sweeps: { ours: sweep },
    numbers,
  };
}
