import { bestCandidate } from "../../../../engine/index.js";
import type { RoutingBody } from "../../../../engine/router/routing-body.js";

/** What a decision saves against the candidate with the highest expected quality, and what it gives up for it. Both at least 0. */
export interface ExpectedSaving {
  readonly usd: number;
  /** Difference of expected quality, from 0 to 1. */
  readonly quality: number;
}

/** Null where one of the two costs is unknown. Of several candidates with the highest quality, the cheapest one counts. */
export function expectedSaving({
  selected_model,
  candidates,
}: Pick<RoutingBody, "selected_model" | "candidates">): ExpectedSaving | null {
  const selected = candidates.find(({ model }) => model === selected_model);
  const best = bestCandidate(candidates);
  if (selected === undefined || best === undefined) return null;
  const [from, to] = [best.expected_cost_usd, selected.expected_cost_usd];
  if (from === null || to === null) return null;
  return { usd: Math.max(0, from - to), quality: best.expected_quality - selected.expected_quality };
}
