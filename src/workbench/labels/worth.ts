import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import type { Evidence } from "../../engine/estimation/evidence.js";
import { createSnapshot } from "../../engine/index.js";
import type { ModelLookup } from "../../engine/router/candidate.js";
import { WorkbenchError } from "../workbench-error.js";

/** What each model of a set is expected to be worth on one of its anchors, in units of quality, `[models]`. */
export type WorthOf = (evidence: Evidence, anchor: number) => Float64Array;

export interface CostOptions {
  /** 0 to 1. */
  readonly costWeight: number;
  /** Prices, for a cost weight above 0. */
  readonly lookup: ModelLookup;
}

interface WorthOptions extends CostOptions {
  /** Whose cost must be known above cost weight 0, as must that of another model. */
  readonly model: string;
}

/** Worth is expected quality, whatever it costs. */
export const qualityAlone: WorthOf = ({ quality }) => quality;

/**
 * At cost weight 0 the expected quality; above it, less what the expected cost is worth at that weight, as the router decides
 * (`costAdjustedScore`, divided by the weight of quality). Models of unknown cost are then worth nothing.
 *
 * @throws WorkbenchError when costs are needed and not known
 */
export function worthAt(set: AnchorSet, { model, costWeight, lookup }: WorthOptions): WorthOf {
  if (costWeight === 0) return qualityAlone;
  const snapshot = createSnapshot([set], lookup);
  const priced = snapshot.models.filter(
    ({ costKnown, profileColumns: [at] }) => costKnown && at?.derived === undefined,
  );
  if (snapshot.find(model)?.costKnown !== true || priced.length < 2) {
    const unknown = snapshot.find(model)?.costKnown === true ? "any other model of the set" : model;
    throw new WorkbenchError(
      `the cost weight is ${costWeight}, but the cost of ${unknown} is not known; give its price in the setting \`prices\`, or use cost weight 0`,
    );
  }
  const { costShare, unitUsd } = snapshot.costWeight.tradeOffAt(costWeight);
  const dollarsToQuality = costShare / (1 - costShare) / unitUsd;
  const columns = priced.map(({ profileColumns: [at] }) => at?.column as number);
  return (evidence, anchor) => {
    const answerTokens = set.answerLevels.expectedTokens?.[anchor];
    const prompt = answerTokens === undefined ? {} : { answerTokens };
    const found = { evidence: [evidence], prompt, nearestSimilarity: 1, outOfDistribution: false };
    const promptTokens = set.promptTokens[anchor] as number;
    const { costUsd } = snapshot.estimate(found, { candidates: priced, promptTokens, maxTokens: undefined });
    const worth = new Float64Array(set.models.length).fill(Number.NEGATIVE_INFINITY);
    columns.forEach((column, entry) => {
      worth[column] = (evidence.quality[column] as number) - dollarsToQuality * (costUsd[entry] as number);
    });
    return worth;
  };
}
