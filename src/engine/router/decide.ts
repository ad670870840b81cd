import { once } from "../../foundation/once.js";
import { costAdjustedScore, type TradeOff } from "./cost-weight.js";
import type { Candidate } from "./decision.js";
import { otherEffortsOf } from "./effort-reason.js";
import { byCost, type Estimates } from "./estimates.js";
import type { Exploration, Explored } from "./exploration.js";
import { explore } from "./explore.js";
import { rankByScore } from "./rank-by-score.js";

export interface Verdict {
  /** Selected first, then by score, then the cheaper. Made when it is first read: there may be hundreds, and most callers need the selected one. */
  readonly candidates: readonly Candidate[];
  readonly selected: Candidate;
  /** The best of the selected model's other efforts; undefined when none is a candidate. */
  readonly otherEffort: Candidate | undefined;
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
  /** Quality that each candidate's time costs, ≥ 0. Absent: none. */
  readonly penalty?: Float64Array | undefined;
  /** Expected costs of this answer, where candidates are compared by other costs. */
  readonly billedUsd?: Float64Array;
  /** Absent: the decided model is selected. */
  readonly exploration?: Exploration | undefined;
}

/**
 * Chooses one model from the estimates. Pure, total and deterministic: the order of the estimates does not matter, and
 * a quality that is not a number never wins. About 0.05 µs a model, and 0.3 µs when the list of candidates is read.
 *
 * The best score `(1 − w)·quality − w·cost / unit` wins, of equal ones the cheaper. At `cost_weight` 0 that is the
 * highest expected quality. The chosen cost never rises as the weight grows.
 *
 * @param estimates of at least one candidate; above a cost weight of 0, all with a known cost.
 */
export function decide(estimates: Estimates, options: DecideOptions): Verdict {
  const { billedUsd = estimates.costUsd } = options;
  const scores = costAdjustedScores(estimates, options);
  const isCheaper = (a: number, b: number): boolean => byCost(estimates, a, b) <= 0;
  const candidate = (entry: number): Candidate => toCandidate(estimates, entry, { scores, billedUsd });
  const best = (admits: (entry: number) => boolean) => bestEntry(scores, { isCheaper, admits });
  const decided = options.held ?? best(() => true) ?? 0;
  const ranked = once(() => [
    candidate(decided),
    ...Array.from(
      rankByScore(scores, isCheaper).filter((entry) => entry !== decided),
      candidate,
    ),
  ]);
  const drawn = options.exploration && explore(ranked(), options.exploration);
  const selected = drawn?.exploration.explored ? entryOf(drawn.candidates[0], estimates) : decided;
  const [chosen, second] = [candidate(selected), best((entry) => entry !== selected)];
  const effort = best(otherEffortsOf(selected, estimates));
  return {
    get candidates() {
      return drawn?.candidates ?? ranked();
    },
    selected: chosen,
    otherEffort: effort === undefined ? undefined : candidate(effort),
    confidence: second === undefined ? 1 : superiority(chosen, candidate(second), options),
    reason: drawn?.exploration.explored
      ? `drawn at random to learn from its answer; the decision is ${drawn.exploration.preferredModel}`
      : explain(estimates, { ...options, selected, isTied: scores[second ?? -1] === scores[selected] }),
    exploration: drawn?.exploration ?? null,
  };
}

/** The entry that `candidates` would have first of those that `admits` takes; undefined when it takes none. */
function bestEntry(
  scores: Float64Array,
  {
    isCheaper,
    admits,
  }: {
    readonly isCheaper: (a: number, b: number) => boolean;
    readonly admits: (entry: number) => boolean;
  },
): number | undefined {
  let best: number | undefined;
  let highest = Number.NEGATIVE_INFINITY;
  for (let entry = 0; entry < scores.length; entry++) {
    const score = scores[entry] as number;
    if (score < highest || !admits(entry)) continue;
    if (best !== undefined && score === highest && isCheaper(best, entry)) continue;
    [best, highest] = [entry, score];
  }
  return best;
}

const entryOf = (candidate: Candidate | undefined, { candidates }: Estimates): number =>
  candidates.findIndex(({ model }) => model === candidate?.model);

/** −∞ for a quality that is not a number. */
function costAdjustedScores(
  { quality, costUsd }: Estimates,
  { tradeOff, penalty }: Pick<DecideOptions, "tradeOff" | "penalty">,
): Float64Array {
  const scores = new Float64Array(quality.length);
  for (let entry = 0; entry < scores.length; entry++) {
    const own = quality[entry] as number;
    const counted = penalty === undefined ? own : own - (penalty[entry] as number);
    const expected = { quality: counted, costUsd: costUsd[entry] as number };
    scores[entry] = Number.isNaN(expected.quality)
      ? Number.NEGATIVE_INFINITY
      : costAdjustedScore(tradeOff, expected);
  }
  return scores;
}

/** Probability that the first candidate scores at least as high as the second, normal approximation. */
function superiority(a: Candidate, b: Candidate, { tradeOff, pairedCorrelation }: DecideOptions): number {
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

interface Choice extends Pick<DecideOptions, "tradeOff" | "penalty"> {
  readonly selected: number;
  /** Whether another candidate has the same score. */
  readonly isTied: boolean;
}

function explain({ quality, costUsd }: Estimates, { selected, tradeOff, penalty, isTied }: Choice): string {
  if (penalty !== undefined && quality.some((other) => other > (quality[selected] as number)))
    return `best trade of expected quality against ${tradeOff.costWeight === 0 ? "time" : "time and cost"}`;
  if (tradeOff.costWeight === 0)
    return isTied ? "cheapest of those with the highest expected quality" : "highest expected quality";
  const [ownQuality, ownCost] = [quality[selected] as number, costUsd[selected] as number];
  if (quality.every((other) => ownQuality >= other))
    return "highest expected quality, and worth its cost at this weight";
  if (costUsd.every((other) => ownCost <= other))
    return "cheapest; no better model is worth its cost at this weight";
  return "best trade of expected quality against cost";
}

interface CandidateFigures {
  readonly scores: Float64Array;
  readonly billedUsd: Float64Array;
}

function toCandidate(
  estimates: Estimates,
  entry: number,
  { scores, billedUsd }: CandidateFigures,
): Candidate {
  const { candidates, quality, stderr, costUsd, highCostUsd, effective, expectedMs } = estimates;
  const { model, effort, provider, basis, successProbability } = candidates[
    entry
  ] as Estimates["candidates"][number];
  const billed = billedUsd[entry] as number;
  return {
    model,
    effort,
    provider,
    expectedQuality: quality[entry] as number,
    qualityStderr: stderr[entry] as number,
    expectedCostUsd: Number.isFinite(billed) ? billed : null,
    highCostUsd: costUsd[entry] === Number.POSITIVE_INFINITY ? null : (highCostUsd[entry] as number),
    answerTokens: {
      profiled: estimates.profiledTokens[entry] as number,
      expected: estimates.expectedTokens[entry] as number,
      reasoning: estimates.reasoningTokens[entry] as number,
    },
    score: scores[entry] as number,
    evidence: effective[entry] as number,
    basis,
    ...(successProbability !== undefined && { successProbability }),
    ...(expectedMs !== undefined && { expectedMs: expectedMs[entry] as number }),
  };
}
