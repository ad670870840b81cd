import { once } from "../../foundation/once.js";
import { costAdjustedScore, type TradeOff } from "./cost-weight.js";
import type { Candidate } from "./decision.js";
import { otherEffortsOf } from "./effort-reason.js";
import { byCost, type Estimates } from "./estimates.js";
import type { Exploration, Explored } from "./exploration.js";
import { explore } from "./explore.js";
import { rankByScore } from "./rank-by-score.js";

export interface Verdict {
  /** Selected first, then by score, then the cheaper, then the better. Made when it is first read: there may be hundreds, and most callers need the selected one. */
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
 * The best score `(1 − w)·quality − w·cost / unit` wins, of equal ones the cheaper, of equal costs the better. At `cost_weight` 0 that is the
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
  const second = best((entry) => entry !== selected);
  const effort = best(otherEffortsOf(selected, estimates));
  return {
    get candidates() {
      return drawn?.candidates ?? ranked();
    },
    selected: candidate(selected),
    otherEffort: effort === undefined ? undefined : candidate(effort),
    confidence: second === undefined ? 1 : superiority(estimates, { scores, selected, second }, options),
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

/**
 * A difference that is not known is worth no money: above a cost weight of 0, a lower quality costs nothing within a hundredth, the least
 * that users notice, and a share of the error of the difference (guesses: `npm run bench -- everyday`). The error is that of two models
 * known as well as the best one: a model would else be paid for because less is known of it.
 */
const UNNOTICED_DIFFERENCE = 0.01;
const ERRORS_UNNOTICED = 0.2;
/** Share that counts all the same: of two models that cost about as much, the one that is expected to be better. */
const REST = 0.02;

/** −∞ for a quality that is not a number. */
function costAdjustedScores(
  estimates: Estimates,
  { tradeOff, penalty, pairedCorrelation }: Pick<DecideOptions, "tradeOff" | "penalty" | "pairedCorrelation">,
): Float64Array {
  const { quality, costUsd } = estimates;
  const scores = new Float64Array(quality.length);
  const best = bestOf(estimates, penalty);
  const error = errorOfDifference(best.ownError, best.ownError, pairedCorrelation);
  const unnoticed = tradeOff.costWeight === 0 ? 0 : UNNOTICED_DIFFERENCE + ERRORS_UNNOTICED * error;
  for (let entry = 0; entry < scores.length; entry++) {
    const own = quality[entry] as number;
    const spared = (1 - REST) * Math.min(best.quality - own, unnoticed);
    const expected = Math.min(best.penalised, own + spared - (penalty?.[entry] ?? 0));
    scores[entry] = Number.isNaN(expected)
      ? Number.NEGATIVE_INFINITY
      : costAdjustedScore(tradeOff, { quality: expected, costUsd: costUsd[entry] as number });
  }
  return scores;
}

interface Best {
  /** The highest, and the own error of the model that has it; of several, the least. */
  readonly quality: number;
  readonly ownError: number;
  /** The highest quality less penalty, which nothing is worth more than: the chosen cost would else rise from a weight of 0. */
  readonly penalised: number;
}

function bestOf({ quality, ownError }: Estimates, penalty: Float64Array | undefined): Best {
  const best = {
    quality: Number.NEGATIVE_INFINITY,
    ownError: 0,
    penalised: Number.NEGATIVE_INFINITY,
  };
  for (let entry = 0; entry < quality.length; entry++) {
    const [own, error] = [quality[entry] as number, ownError[entry] as number];
    const penalised = own - (penalty?.[entry] ?? 0);
    if (penalised > best.penalised) best.penalised = penalised;
    if (own > best.quality) [best.quality, best.ownError] = [own, error];
    else if (own === best.quality) best.ownError = Math.min(best.ownError, error);
  }
  return best;
}

const errorOfDifference = (a: number, b: number, correlation: number): number =>
  Math.sqrt(Math.max(a * a + b * b - 2 * correlation * a * b, 1e-12));

interface Compared {
  readonly scores: Float64Array;
  readonly selected: number;
  readonly second: number;
}

/** Probability that the first candidate scores at least as high as the second, normal approximation. */
function superiority(
  { ownError }: Estimates,
  { scores, selected, second }: Compared,
  { tradeOff, pairedCorrelation }: DecideOptions,
): number {
  const error = errorOfDifference(
    ownError[selected] as number,
    ownError[second] as number,
    pairedCorrelation,
  );
  const difference = (scores[selected] as number) - (scores[second] as number);
  if (!Number.isFinite(difference)) return 1;
  return normalCdf(difference / Math.max((1 - tradeOff.costWeight) * error, 1e-9));
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
