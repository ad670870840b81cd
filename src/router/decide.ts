import type { Candidate } from "./decision.js";
import { byCost, type Estimates, pairedStderr } from "./estimates.js";
import type { Exploration, Explored } from "./exploration.js";
import { explore } from "./explore.js";
import { rankByScore } from "./rank-by-score.js";
import { allowedShortfall, costAdjustedScore, type TradeOff } from "./trade-off.js";

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
 * `score = (1 − w)·quality − w·cost / unit`. At `cost_weight` 0 the highest expected quality wins and cost only breaks
 * exact ties. Above 0 a cheaper model is chosen when its score is within the noise of the best: within `noiseMultiple`
 * paired standard errors against the model of highest expected quality, and `tolerance`. The reference model is the
 * same for every weight, which guarantees that the chosen cost never rises as the weight grows.
 *
 * @param estimates of at least one candidate; above a cost weight of 0, all with a known cost.
 */
export function decide(estimates: Estimates, options: DecideOptions): Verdict {
  const { tradeOff } = options;
  const scores = costAdjustedScores(estimates, tradeOff);
  const order = rankByScore(scores, (a, b) => byCost(estimates, a, b) <= 0);
  const selected = options.held ?? pick(estimates, { ...options, scores, best: order[0] ?? 0 });
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

interface PickOptions extends DecideOptions {
  readonly scores: Float64Array;
  /** Index of the best score. */
  readonly best: number;
}

/**
 * Index of the cheapest model within the noise of the best score that is on the Pareto frontier; a dominated one could
 * be chosen only because of its large standard error.
 */
function pick(estimates: Estimates, options: PickOptions): number {
  const { tradeOff, scores, best } = options;
  const { stderr } = estimates;
  if (tradeOff.costWeight === 0) return best;
  const leader = highestQuality(estimates);
  if (leader === undefined) return best;
  let chosen = best;
  for (let entry = 0; entry < scores.length; entry++) {
    if (byCost(estimates, entry, chosen) >= 0) continue;
    const paired = pairedStderr(stderr[entry] as number, stderr[leader] as number, options);
    const allowed = entry === leader ? 0 : allowedShortfall(tradeOff, paired);
    if ((scores[best] as number) - (scores[entry] as number) > allowed) continue;
    if (!isBeaten(estimates, entry)) chosen = entry;
  }
  return chosen;
}

/** Index of the highest quality; of equal ones the cheaper. */
function highestQuality(estimates: Estimates): number | undefined {
  const { quality } = estimates;
  let highest: number | undefined;
  for (let entry = 0; entry < quality.length; entry++) {
    const expected = quality[entry] as number;
    if (Number.isNaN(expected)) continue;
    if (highest === undefined || expected > (quality[highest] as number)) highest = entry;
    else if (expected === quality[highest] && byCost(estimates, entry, highest) < 0) highest = entry;
  }
  return highest;
}

/** Whether a model that precedes it by cost is at least as good. */
function isBeaten(estimates: Estimates, entry: number): boolean {
  const { quality } = estimates;
  const own = quality[entry] as number;
  for (let other = 0; other < quality.length; other++)
    if ((quality[other] as number) >= own && byCost(estimates, other, entry) < 0) return true;
  return false;
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
  const best = second === undefined || selected.score >= second.score;
  if (candidates.every((candidate) => selected.expectedQuality >= candidate.expectedQuality)) {
    return "highest expected quality, and worth its cost at this weight";
  }
  if (candidates.every((candidate) => cost <= (candidate.expectedCostUsd ?? Number.POSITIVE_INFINITY))) {
    return best
      ? "cheapest; no better model is worth its cost at this weight"
      : "cheapest, and within noise of the best score";
  }
  return best ? "best trade of expected quality against cost" : "cheapest within noise of the best score";
}

function toCandidate(estimates: Estimates, entry: number, scores: Float64Array): Candidate {
  const { candidates, quality, stderr, costUsd, profiledTokens, expectedTokens, effective } = estimates;
  const { model, provider, basis } = candidates[entry] as Estimates["candidates"][number];
  const cost = costUsd[entry] as number;
  const expected = expectedTokens[entry] as number;
  return {
    model,
    provider,
    expectedQuality: quality[entry] as number,
    qualityStderr: stderr[entry] as number,
    expectedCostUsd: cost === Number.POSITIVE_INFINITY ? null : cost,
    answerTokens: Number.isNaN(expected) ? null : { profiled: profiledTokens[entry] as number, expected },
    score: scores[entry] as number,
    evidence: effective[entry] as number,
    basis,
  };
}
