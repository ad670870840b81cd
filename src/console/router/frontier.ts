import type { Candidate } from "../api/router.js";

/** A candidate whose cost is known, so that it can be plotted. */
export interface Priced extends Candidate {
  readonly expected_cost_usd: number;
}

export const priced = (candidates: readonly Candidate[]): readonly Priced[] =>
  candidates.filter(
    (candidate): candidate is Priced =>
      candidate.expected_cost_usd !== null && candidate.expected_cost_usd > 0,
  );

/** Candidates than which none is both cheaper and better, the cheapest first. */
export function frontierOf(candidates: readonly Priced[]): readonly Priced[] {
  const byCost = candidates.toSorted(
    (left, right) =>
      left.expected_cost_usd - right.expected_cost_usd || right.expected_quality - left.expected_quality,
  );
  const frontier: Priced[] = [];
  for (const candidate of byCost) {
    if (candidate.expected_quality > (frontier.at(-1)?.expected_quality ?? -1)) frontier.push(candidate);
  }
  return frontier;
}
