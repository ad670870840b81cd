import type { Candidate } from "./decision.js";
import type { KnobSetting } from "./knob.js";

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
  /** Effective number of scored neighbours. */
  readonly effective: number;
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

interface Scored extends Estimate {
  readonly score: number;
}

/** @param estimates at least one; with a knob above 0, all with a known cost. */
export function decide(estimates: readonly Estimate[], options: DecideOptions): Verdict {
  const { knob, pairedCorrelation } = options;
  const scored = estimates.map((estimate) => ({ ...estimate, score: costAdjustedScore(estimate, knob) }));
  scored.sort(byRank);
  const selected = pick(scored, options);
  const ranked = selected === undefined ? scored : [selected, ...scored.filter((each) => each !== selected)];
  const runnerUp = ranked[1];
  return {
    candidates: ranked.map(toCandidate),
    confidence: selected && runnerUp ? superiority(selected, runnerUp, { knob, pairedCorrelation }) : 1,
    reason: selected === undefined ? "no candidate" : explain(selected, scored, knob),
  };
}

/** The score of one estimate under a knob setting; −∞ for a quality that is not a number. */
export function costAdjustedScore(estimate: Estimate, knob: KnobSetting): number {
  if (Number.isNaN(estimate.quality)) return Number.NEGATIVE_INFINITY;
  if (knob.costWeight === 0) return estimate.quality;
  const cost = estimate.costUsd === null ? Number.POSITIVE_INFINITY : estimate.costUsd / knob.unitUsd;
  return (1 - knob.tradeOff) * estimate.quality - (knob.tradeOff === 0 ? 0 : knob.tradeOff * cost);
}

/** Higher score, then the cheaper (an unknown cost is the dearest), then the model id. */
function byRank(a: Scored, b: Scored): number {
  if (a.score !== b.score) return b.score - a.score;
  return byCost(a, b);
}

function byCost(a: Estimate, b: Estimate): number {
  const costA = a.costUsd ?? Number.POSITIVE_INFINITY;
  const costB = b.costUsd ?? Number.POSITIVE_INFINITY;
  if (costA !== costB) return costA - costB;
  return a.model < b.model ? -1 : a.model > b.model ? 1 : 0;
}

/** @param scored in rank order */
function pick(scored: readonly Scored[], options: DecideOptions): Scored | undefined {
  if (options.knob.costWeight === 0) return scored[0];
  return pickFromFrontier(paretoFrontier(scored), options) ?? scored[0];
}

/** The cheapest within noise of the best score. @param frontier as `paretoFrontier` returns it */
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
export function pairedStderr(a: Estimate, b: Estimate, correlation: number): number {
  if (a.model === b.model) return 0;
  const variance = a.stderr ** 2 + b.stderr ** 2 - 2 * correlation * a.stderr * b.stderr;
  // A model that is hardly known must not be taken for its own ignorance.
  return Math.min(Math.sqrt(Math.max(variance, 0)), b.stderr);
}

/** Probability that `a` scores at least as high as `b`, normal approximation. */
function superiority(a: Scored, b: Scored, { knob, pairedCorrelation }: DecideOptions): number {
  const variance = a.stderr ** 2 + b.stderr ** 2 - 2 * pairedCorrelation * a.stderr * b.stderr;
  const noise = (1 - knob.tradeOff) * Math.sqrt(Math.max(variance, 1e-12));
  const difference = a.score - b.score;
  if (!Number.isFinite(difference)) return 1;
  return normalCdf(difference / Math.max(noise, 1e-9));
}

/** Logistic approximation of the standard normal distribution function, error < 0.01 (Bowling et al., 2009). */
function normalCdf(z: number): number {
  return 1 / (1 + Math.exp(-(0.07056 * z ** 3 + 1.5976 * z)));
}

function explain(selected: Scored, scored: readonly Scored[], knob: KnobSetting): string {
  const best = scored[0] as Scored;
  const highest = scored.reduce((a, b) => (b.quality > a.quality ? b : a));
  if (knob.costWeight === 0) {
    const tied = scored.some((each) => each !== selected && each.score === selected.score);
    return tied ? "cheapest of those with the highest expected quality" : "highest expected quality";
  }
  const cheapest = scored.every((each) => byCost(selected, each) <= 0);
  if (selected.quality === highest.quality)
    return "highest expected quality, and worth its cost at this weight";
  if (cheapest && selected === best) return "cheapest; no better model is worth its cost at this weight";
  if (cheapest) return "cheapest, and within noise of the best score";
  if (selected === best) return "best trade of expected quality against cost";
  return "cheapest within noise of the best";
}

function toCandidate(each: Scored): Candidate {
  return {
    model: each.model,
    provider: each.provider,
    expectedQuality: each.quality,
    qualityStderr: each.stderr,
    expectedCostUsd: each.costUsd,
    score: each.score,
    evidence: each.effective,
  };
}
