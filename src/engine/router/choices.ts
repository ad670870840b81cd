import { SextantError } from "../../foundation/errors.js";
import type { PromptFacts } from "../estimation/evidence.js";
import { decide } from "./decide.js";
import type { RouteRequest } from "./decision.js";
import type { Choice } from "./explanation.js";
import type { LiveModels } from "./live-models.js";
import { screenCandidates } from "./screening.js";
import type { Snapshot } from "./snapshot.js";

const STEPS = 100;

/** The chosen model at each cost weight for the prompt of that vector: one entry per change, in steps of a hundredth. */
export function choicesOf(
  snapshot: Snapshot,
  vector: Float32Array,
  {
    request,
    prompt,
    live,
  }: { readonly request: RouteRequest; readonly prompt: PromptFacts; readonly live: LiveModels },
): readonly Choice[] {
  const found = snapshot.search(vector, prompt);
  const choices: Choice[] = [];
  for (const part of [
    { from: 0, to: 0 },
    { from: 1, to: STEPS },
  ]) {
    const screening = screened({ ...request, costWeight: part.from }, snapshot, live);
    if (screening === undefined) continue;
    const estimates = snapshot.estimate(found, screening);
    for (let step = part.from; step <= part.to; step++) {
      const tradeOff = snapshot.costWeight.tradeOffAt(step / STEPS);
      const { pairedCorrelation } = snapshot;
      const { model, expectedQuality, expectedCostUsd } = decide(estimates, {
        tradeOff,
        pairedCorrelation,
      }).selected;
      if (model === choices.at(-1)?.model) continue;
      choices.push({ fromCostWeight: step / STEPS, model, expectedQuality, expectedCostUsd });
    }
  }
  return choices;
}

/** Undefined when too few models have a price to compare. */
function screened(request: RouteRequest, snapshot: Snapshot, live: LiveModels) {
  try {
    return screenCandidates(request, snapshot, live);
  } catch (fault) {
    if (fault instanceof SextantError && fault.code === "insufficient_models") return undefined;
    throw fault;
  }
}
