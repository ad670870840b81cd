import type { CostWeightBody, CostWeightListBody } from "../../gateway/api/cost-weights.js";
import { callAgain } from "./call.js";

/** What a cost weight means in dollars; null without prices. */
export type Meaning = CostWeightBody["meaning"];
export type CostWeights = CostWeightListBody;

export const loadCostWeights = (signal: AbortSignal): Promise<CostWeights> =>
  callAgain("/v1/router/cost-weights", { signal });
