import { SextantError } from "../../foundation/errors.js";
import type { Decision } from "./decision.js";
import type { Choice } from "./explanation.js";
import type { PreparedRequest } from "./prepared-request.js";

const STEPS = 100;

/** The chosen model at each cost weight: one entry per change, in steps of a hundredth. */
export function choicesOf(request: PreparedRequest): readonly Choice[] {
  const choices: Choice[] = [];
  for (let step = 0; step <= STEPS; step++) {
    const decision = decisionAt(request, step / STEPS);
    if (decision === undefined || decision.selectedModel === choices.at(-1)?.model) continue;
    const { selectedModel: model, expectedQuality, expectedCostUsd } = decision;
    choices.push({ fromCostWeight: step / STEPS, model, expectedQuality, expectedCostUsd });
  }
  return choices;
}

/** Undefined when too few models have a price to compare. */
function decisionAt(request: PreparedRequest, costWeight: number): Decision | undefined {
  try {
    return request.decideAt(costWeight);
  } catch (fault) {
    if (fault instanceof SextantError && fault.code === "insufficient_models") return undefined;
    throw fault;
  }
}
