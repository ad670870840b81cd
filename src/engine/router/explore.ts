import type { Candidate } from "./decision.js";
import type { Exploration, Explored } from "./exploration.js";

/**
 * Models that may be tried on a prompt, best score first. A draw among fewer models repeats each more often, so that
 * something is learned of it (guess).
 */
const MOST_ALTERNATIVES = 8;
/** Standard errors by which a model may be expected to be worse than the decided one (guess: beyond, it is known to be worse). */
const MOST_STDERRS_BELOW = 2;

/**
 * Draws uniformly from the models that could be as good as the decided one and cost at most `maxCostRatio` times as much, with
 * probability `share`. Pure: the same draw gives the same model.
 *
 * @param candidates the decided one first, then by score; at least one
 */
export function explore(
  candidates: readonly Candidate[],
  { share, maxCostRatio, draw }: Exploration,
): { readonly candidates: readonly Candidate[]; readonly exploration: Explored } {
  const [preferred, ...others] = candidates as readonly [Candidate, ...Candidate[]];
  const alternatives = others
    .filter((other) => mayBeTried(other, preferred, maxCostRatio))
    .slice(0, MOST_ALTERNATIVES);
  const preferredModel = preferred.model;
  if (alternatives.length === 0) {
    return { candidates, exploration: { explored: false, probability: 1, preferredModel } };
  }
  const tried = draw < share ? alternatives[Math.floor((draw / share) * alternatives.length)] : undefined;
  if (tried === undefined) {
    return { candidates, exploration: { explored: false, probability: 1 - share, preferredModel } };
  }
  return {
    candidates: [tried, ...candidates.filter((candidate) => candidate !== tried)],
    exploration: { explored: true, probability: share / alternatives.length, preferredModel },
  };
}

/** An unknown cost is no bounded cost. */
function mayBeTried(
  { expectedQuality, qualityStderr, expectedCostUsd }: Candidate,
  preferred: Candidate,
  maxCostRatio: number,
): boolean {
  if (expectedCostUsd === null || preferred.expectedCostUsd === null) return false;
  return (
    expectedCostUsd <= maxCostRatio * preferred.expectedCostUsd &&
    expectedQuality + MOST_STDERRS_BELOW * qualityStderr >= preferred.expectedQuality
  );
}
