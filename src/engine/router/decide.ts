import type { Candidate } from "./decision.js";
import { byCost, type Estimates } from "./estimates.js";
import type { Exploration, Explored } from "./exploration.js";
import { explore } from "./explore.js";
import { rankByScore } from "./rank-by-score.js";
import { costAdjustedScore, type TradeOff } from "./trade-off.js";

export interface Verdict {
  readonly candidates: readonly Candidate[];
  readonly confidence: number;
  readonly reason: string;
  /** Null when the request does not take part in exploration. */
  readonly exploration: Explored | null;
}

export interface DecideOptions {
  readonly tradeOff: TradeOff;
  /** Correlation in [0, 1) of two models' errors on the same prompts. */
  readonly pairedCorrelation: number;
  /** Index of the candidate that is chosen whatever the scores. */
  readonly held?: number;
  /** Absent: the decided model is selected. */
  readonly exploration?: Exploration | undefined;
}

/**
 * Chooses one model from the estimates. Pure, total and deterministic: the order of the estimates does not matter, and
 * a quality that is not a number never wins. About 0.1 µs a model.
 *
 * The best score `(1 − w)·quality − w·cost / unit` wins, of equal ones the cheaper. At `cost_weight` 0 that is the
 * highest expected quality. The chosen cost never rises as the weight grows.
 *
 * @param estimates of at least one candidate; above a cost weight of 0, all with a known cost.
 */
export function decide(estimates: Estimates, options: DecideOptions): Verdict {
  const { tradeOff } = options;
  const scores = costAdjustedScores(estimates, tradeOff);
  const order = rankByScore(scores, (a, b) => byCost(estimates, a, b) <= 0);
  const selected = options.held ?? order[0] ?? 0;
  const decided = [toCandidate(estimates, selected, scores)];
  for (const entry of order) if (entry !== selected) decided.push(toCandidate(estimates, entry, scores));
  const { candidates, exploration } =
    options.exploration === undefined
      ? { candidates: decided, exploration: null }
      : explore(decided, options.exploration);
  return {
    candidates,
    confidence: superiority(candidates, options),
    reason: exploration?.explored
      ? `drawn at random to learn from its answer; the decision is ${exploration.preferredModel}`
      : explain(candidates, tradeOff),
    exploration,
  };
}

/** −∞ for a quality that is not a number. */
function costAdjustedScores({ quality, costUsd }: Estimates, tradeOff: TradeOff): Float64Array {
  const scores = new Float64Array(quality.length);
  for (let entry = 0; entry < scores.length; entry++) {
    const expected = { quality: quality[entry] as number, costUsd: costUsd[entry] as number };
    scores[entry] = Number.isNaN(expected.quality)
      ? Number.NEGATIVE_INFINITY
      : costAdjustedScore(tradeOff, expected);
  }
  return scores;
}

/** Probability that the first candidate scores at least as high as the second, normal approximation. */
function superiority(
  candidates: readonly Candidate[],
  { tradeOff, pairedCorrelation }: DecideOptions,
): number {
  const [a, b] = candidates;
  if (a === undefined || b === undefined) return 1;
  const variance =
    a.qualityStderr ** 2 + b.qualityStderr ** 2 - 2 * pairedCorrelation * a.qualityStderr * b.qualityStderr;
  const noise = (1 - tradeOff.costShare) * Math.sqrt(Math.max(variance, 1e-12));
  const difference = a.score - b.score;
  if (!Number.isFinite(difference)) return 1;
  return normalCdf(difference / Math.max(noise, 1e-9));
}

/** Logistic approximation of the standard normal distribution function, error < 0.001 (Bowling et al., 2009). */
function normalCdf(z: number): number {
  return 1 / (1 + Math.exp(-(0.07056 * z ** 3 + 1.5976 * z)));
}

/** @param candidates selected first, then by score */
function explain(candidates: readonly Candidate[], tradeOff: TradeOff): string {
  const [selected, second] = candidates;
  if (selected === undefined) return "no candidate";
  if (tradeOff.costWeight === 0) {
    return second?.score === selected.score
      ? "cheapest of those with the highest expected quality"
      : "highest expected quality";
  }
  const cost = selected.expectedCostUsd ?? Number.POSITIVE_INFINITY;
  if (candidates.every((candidate) => selected.expectedQuality >= candidate.expectedQuality)) {
    return "highest expected quality, and worth its cost at this weight";
  }
  if (candidates.every((candidate) => cost <= (candidate.expectedCostUsd ?? Number.POSITIVE_INFINITY))) {
    return "cheapest; no better model is worth its cost at this weight";
  }
  return "best trade of expected quality against cost";
}

function toCandidate(estimates: Estimates, entry: number, scores: Float64Array): Candidate {
  const { candidates, quality, stderr, costUsd, highCostUsd, effective } = estimates;
  const { model, effort, provider, basis } = candidates[entry] as Estimates["candidates"][number];
  const cost = costUsd[entry] as number;
  const isPriced = cost !== Number.POSITIVE_INFINITY;
  return {
    model,
    effort,
    provider,
    expectedQuality: quality[entry] as number,
    qualityStderr: stderr[entry] as number,
    expectedCostUsd: isPriced ? cost : null,
    highCostUsd: isPriced ? (highCostUsd[entry] as number) : null,
    answerTokens: {
      profiled: estimates.profiledTokens[entry] as number,
      expected: estimates.expectedTokens[entry] as number,
      reasoning: estimates.reasoningTokens[entry] as number,
    },
    score: scores[entry] as number,
    evidence: effective[entry] as number,
    basis,
  };
}
