import type { RoutingBody } from "./routing-body.js";

type Expected = Pick<RoutingBody["candidates"][number], "expected_quality" | "expected_cost_usd">;

/** The candidate with the highest expected quality; of several, the cheapest one. Undefined without candidates. */
export function bestCandidate<Candidate extends Expected>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  let [best] = candidates;
  for (const candidate of candidates) {
    if (best === undefined) return undefined;
    const gain = candidate.expected_quality - best.expected_quality;
    if (gain > 0 || (gain === 0 && isCheaper(candidate, best))) best = candidate;
  }
  return best;
}

const isCheaper = (one: Expected, other: Expected): boolean =>
  one.expected_cost_usd !== null &&
  other.expected_cost_usd !== null &&
  one.expected_cost_usd < other.expected_cost_usd;
