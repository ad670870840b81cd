import { SextantError } from "../../foundation/errors.js";
import type { Decision } from "./decision.js";
import type { PreparedRequest } from "./prepared-request.js";

/** A decision with the evidence behind it, for a person. */
export interface Explanation {
  readonly decision: Decision;
  /**
   * The chosen model at each cost weight: each entry applies from its weight to the next one's, from 0. Without prices
   * only the first.
   */
  readonly choices: readonly Choice[];
  /** The nearest profiled prompts, nearest first. */
  readonly nearest: readonly NearestAnchor[];
}

export interface Choice {
  /** The first of a hundred steps from 0 to 1 at which the model is chosen. */
  readonly fromCostWeight: number;
  readonly model: string;
  readonly expectedQuality: number;
  readonly expectedCostUsd: number | null;
}

export interface NearestAnchor {
  /** Where the prompt is from. */
  readonly benchmark: string;
  /** Cosine similarity. */
  readonly similarity: number;
  /** Expected quality of the average model on it, 0 to 1. */
  readonly ease: number;
  /** Quality of the models that were scored on it, 0 to 1. */
  readonly scores: ReadonlyMap<string, number>;
}

/** Mean score of a model on one benchmark. */
export interface BenchmarkScore {
  readonly benchmark: string;
  readonly samples: number;
  /** 0 to 1. */
  readonly meanQuality: number;
}

/** By model id; each by benchmark. */
export type BenchmarkScores = ReadonlyMap<string, readonly BenchmarkScore[]>;

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
