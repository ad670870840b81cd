import type { Basis } from "../profiles/basis.js";
import type { AnswerTokens, Candidate } from "./decision.js";
import type { KnobSetting } from "./knob-setting.js";
import { rankByScore } from "./rank-by-score.js";

/**
 * Estimates in, one model out. Pure, total and deterministic: the order of the estimates does not matter, and what is
 * not a number never wins.
 *
 * `score = (1 − w)·quality − w·cost / unit`. At `cost_weight` 0 the highest expected quality wins and cost decides only
 * between exactly equal ones. Above 0 a cheaper model is taken when its score is within noise of the best: within
 * `noiseMultiple` paired standard errors against the model of highest expected quality. That yardstick is the same for
 * every weight, which is what makes the chosen cost fall and never rise as the weight grows.
 */
export interface Estimate {
  readonly model: string;
  readonly provider: string | null;
  /** In [0, 1]. */
  readonly quality: number;
  /** > 0. */
  readonly stderr: number;
  /** ≥ 0, or null when no price is known. */
  readonly costUsd: number | null;
  /** Null when the profile knows what answers cost and not how long they are. */
  readonly answerTokens: AnswerTokens | null;
  /** Effective number of scored neighbours. */
  readonly effective: number;
  readonly basis: Basis;
}

export interface Verdict {
  readonly candidates: readonly Candidate[];
  readonly confidence: number;
  readonly reason: string;
}

export interface DecideOptions {
  readonly knob: KnobSetting;
  /** Correlation in [0, 1) of two models' errors on the same prompts. */
  readonly pairedCorrelation: number;
}

/**
 * About 0.1 µs a model.
 *
 * @param estimates at least one; with a knob above 0, all with a known cost.
 */
export function decide(estimates: readonly Estimate[], options: DecideOptions): Verdict {
  const { knob } = options;
  const scores = new Float64Array(estimates.length);
  for (let place = 0; place < scores.length; place++)
    scores[place] = costAdjustedScore(estimates[place] as Estimate, knob);
  const order = rankByScore(
    scores,
    (a, b) => byCost(estimates[a] as Estimate, estimates[b] as Estimate) <= 0,
  );
  const selected = pick(estimates, { ...options, scores, best: order[0] ?? 0 });
  const candidates: Candidate[] = [];
  const add = (place: number): void => {
    const estimate = estimates[place];
    if (estimate !== undefined) candidates.push(toCandidate(estimate, scores[place] as number));
  };
  add(selected);
  for (let rank = 0; rank < order.length; rank++) {
    const place = order[rank] as number;
    if (place !== selected) add(place);
  }
  return {
    candidates,
    confidence: superiority(candidates, options),
    reason: explain(candidates, knob),
  };
}

/** The score of one estimate under a knob setting; −∞ for a quality that is not a number. */
function costAdjustedScore(estimate: Estimate, knob: KnobSetting): number {
  if (Number.isNaN(estimate.quality)) return Number.NEGATIVE_INFINITY;
  if (knob.costWeight === 0) return estimate.quality;
  const cost = estimate.costUsd === null ? Number.POSITIVE_INFINITY : estimate.costUsd / knob.unitUsd;
  return (1 - knob.tradeOff) * estimate.quality - (knob.tradeOff === 0 ? 0 : knob.tradeOff * cost);
}

/** By lower cost (an unknown one is the dearest), then model id. */
function byCost(a: Estimate, b: Estimate): number {
  const costA = a.costUsd ?? Number.POSITIVE_INFINITY;
  const costB = b.costUsd ?? Number.POSITIVE_INFINITY;
  if (costA !== costB) return costA < costB ? -1 : 1;
  return a.model < b.model ? -1 : a.model > b.model ? 1 : 0;
}

interface PickOptions extends DecideOptions {
  readonly scores: Float64Array;
  /** Place of the best score. */
  readonly best: number;
}

/**
 * Place of the cheapest model within noise of the best score that no other model beats in both cost and quality; a
 * beaten one could only be taken for its ignorance.
 */
function pick(
  estimates: readonly Estimate[],
  { knob, pairedCorrelation, scores, best }: PickOptions,
): number {
  if (knob.costWeight === 0) return best;
  const leader = highestQuality(estimates);
  if (leader === undefined) return best;
  let chosen = best;
  for (let place = 0; place < estimates.length; place++) {
    const each = estimates[place] as Estimate;
    if (byCost(each, estimates[chosen] as Estimate) >= 0) continue;
    const noise = (1 - knob.tradeOff) * knob.noiseMultiple * pairedStderr(each, leader, pairedCorrelation);
    if ((scores[best] as number) - (scores[place] as number) > noise) continue;
    if (!isBeaten(each, estimates)) chosen = place;
  }
  return chosen;
}

/** The model of highest quality; of equal ones the cheaper. */
function highestQuality(estimates: readonly Estimate[]): Estimate | undefined {
  let highest: Estimate | undefined;
  for (const each of estimates) {
    if (Number.isNaN(each.quality)) continue;
    if (highest === undefined || each.quality > highest.quality) highest = each;
    else if (each.quality === highest.quality && byCost(each, highest) < 0) highest = each;
  }
  return highest;
}

/** Is there a model at least as good that comes before it by cost? */
function isBeaten(each: Estimate, estimates: readonly Estimate[]): boolean {
  return estimates.some((other) => other.quality >= each.quality && byCost(other, each) < 0);
}

/** The cheapest within noise of the best score: `pick` for a list that `paretoFrontier` has sifted. */
export function pickFromFrontier<Each extends Estimate>(
  frontier: readonly Each[],
  { knob, pairedCorrelation }: DecideOptions,
): Each | undefined {
  const leader = frontier.at(-1);
  if (leader === undefined) return undefined;
  let topScore = Number.NEGATIVE_INFINITY;
  for (const each of frontier) topScore = Math.max(topScore, costAdjustedScore(each, knob));
  return frontier.find((each) => {
    const noise = (1 - knob.tradeOff) * knob.noiseMultiple * pairedStderr(each, leader, pairedCorrelation);
    return topScore - costAdjustedScore(each, knob) <= noise;
  });
}

/** Models that no other model beats in both cost and quality, cheapest first; so the last has the highest quality. */
export function paretoFrontier<Each extends Estimate>(estimates: readonly Each[]): Each[] {
  const byCostThenQuality = [...estimates].sort((a, b) => {
    const costA = a.costUsd ?? Number.POSITIVE_INFINITY;
    const costB = b.costUsd ?? Number.POSITIVE_INFINITY;
    if (costA !== costB) return costA - costB;
    return b.quality - a.quality || byCost(a, b);
  });
  const frontier: Each[] = [];
  for (const each of byCostThenQuality) {
    const last = frontier.at(-1);
    if (last === undefined || each.quality > last.quality) frontier.push(each);
  }
  return frontier;
}

/** Standard error of the difference of two models' qualities on the same prompt; at most that of the better known one. */
function pairedStderr(a: Estimate, b: Estimate, correlation: number): number {
  if (a.model === b.model) return 0;
  const variance = a.stderr ** 2 + b.stderr ** 2 - 2 * correlation * a.stderr * b.stderr;
  // A model that is hardly known must not be taken for its own ignorance.
  return Math.min(Math.sqrt(Math.max(variance, 0)), b.stderr);
}

/** Probability that the first candidate scores at least as high as the second, normal approximation. */
function superiority(candidates: readonly Candidate[], { knob, pairedCorrelation }: DecideOptions): number {
  const [a, b] = candidates;
  if (a === undefined || b === undefined) return 1;
  const variance =
    a.qualityStderr ** 2 + b.qualityStderr ** 2 - 2 * pairedCorrelation * a.qualityStderr * b.qualityStderr;
  const noise = (1 - knob.tradeOff) * Math.sqrt(Math.max(variance, 1e-12));
  const difference = a.score - b.score;
  if (!Number.isFinite(difference)) return 1;
  return normalCdf(difference / Math.max(noise, 1e-9));
}

/** Logistic approximation of the standard normal distribution function, error < 0.001 (Bowling et al., 2009). */
function normalCdf(z: number): number {
  return 1 / (1 + Math.exp(-(0.07056 * z ** 3 + 1.5976 * z)));
}

/** @param candidates selected first, then by score */
function explain(candidates: readonly Candidate[], knob: KnobSetting): string {
  const [selected, second] = candidates;
  if (selected === undefined) return "no candidate";
  if (knob.costWeight === 0) {
    return second?.score === selected.score
      ? "cheapest of those with the highest expected quality"
      : "highest expected quality";
  }
  const cost = selected.expectedCostUsd ?? Number.POSITIVE_INFINITY;
  const best = second === undefined || selected.score >= second.score;
  if (candidates.every((each) => selected.expectedQuality >= each.expectedQuality)) {
    return "highest expected quality, and worth its cost at this weight";
  }
  if (candidates.every((each) => cost <= (each.expectedCostUsd ?? Number.POSITIVE_INFINITY))) {
    return best
      ? "cheapest; no better model is worth its cost at this weight"
      : "cheapest, and within noise of the best score";
  }
  return best ? "best trade of expected quality against cost" : "cheapest within noise of the best score";
}

function toCandidate(each: Estimate, score: number): Candidate {
  return {
    model: each.model,
    provider: each.provider,
    expectedQuality: each.quality,
    qualityStderr: each.stderr,
    expectedCostUsd: each.costUsd,
    answerTokens: each.answerTokens,
    score,
    evidence: each.effective,
    basis: each.basis,
  };
}
