import type { AnchorSet } from "../estimation/anchor-set.js";
import { MEAN_COST_STEPS, tradeOffAt } from "./cost-weight.js";
import { decide } from "./decide.js";
import type { Found } from "./search-sets.js";
import type { Snapshot } from "./snapshot.js";

/** A prompt that the mean cost of a request is measured on. */
interface SearchedPrompt {
  readonly found: Found;
  readonly promptTokens: number;
}

/** Mean expected cost of a request at each step of the cost weight; null without prompts, or prices of two models. */
export function meanCostsOn(
  snapshot: Snapshot,
  prompts: readonly SearchedPrompt[],
): readonly number[] | null {
  const candidates = snapshot.choosable.filter(({ costKnown }) => costKnown);
  if (candidates.length < 2 || prompts.length === 0) return null;
  const sums = new Float64Array(MEAN_COST_STEPS + 1);
  for (const { found, promptTokens } of prompts) {
    const estimates = snapshot.estimate(found, { candidates, promptTokens, maxTokens: undefined });
    for (let step = 0; step <= MEAN_COST_STEPS; step++) {
      const options = {
        tradeOff: tradeOffAt(step / MEAN_COST_STEPS),
        pairedCorrelation: snapshot.pairedCorrelation,
      };
      sums[step] = (sums[step] as number) + (decide(estimates, options).selected.expectedCostUsd ?? 0);
    }
  }
  return Array.from(sums, (sum) => sum / prompts.length);
}

/** Anchors that stand for a set's prompts where none like them were given. */
const SAMPLE = 600;

/** An even sample of the anchors of a snapshot's only set, each without its own scores. */
export function sampledAnchors(
  snapshot: Snapshot,
  { index, promptTokens }: AnchorSet,
): readonly SearchedPrompt[] {
  const count = Math.min(index.size, SAMPLE);
  return Array.from({ length: count }, (_, at) => {
    const anchor = Math.floor((at * index.size) / count);
    return { found: snapshot.searchAnchor({ set: 0, anchor }), promptTokens: promptTokens[anchor] as number };
  });
}
