import type { Abilities, NamedTest } from "../fitting/abilities-file.js";
import { expectedOn, RANK } from "../fitting/ability-factors.js";
import type { Placement } from "./place-by-evidence.js";

/** Expected quality of the model on one topic. An alias, so that declarations of what contains it need not name it. */
type TopicReport = {
  readonly topic: string;
  /** In [0, 1], and its standard error. */
  readonly expectedQuality: number;
  readonly expectedError: number;
};

/** Uncertainty of a placement, and the evidence that would reduce it; from the posterior. */
export interface PlacementReport {
  readonly surest: TopicReport;
  /** With the graded answers that would halve its error. */
  readonly leastSure: TopicReport & { readonly answersToHalve: number };
  /** The published benchmark whose score would reduce the overall error most; null when all known ones are given. */
  readonly nextBenchmark: { readonly benchmark: string; readonly expectedError: number } | null;
  /** The topic on which that many graded answers would reduce the overall error most. */
  readonly nextTopic: { readonly topic: string; readonly answers: number; readonly expectedError: number };
}

export interface ReportInput {
  readonly abilities: Abilities;
  readonly placement: Placement;
  /** Expected quality on each topic, and its weight in the overall expectation; `[topics]`. */
  readonly expected: Float32Array;
  readonly weights: Float64Array;
  /** Benchmarks that were given. */
  readonly given: ReadonlySet<string>;
}

const ANSWERS_ASKED_FOR = 30;

export function reportPlacement(input: ReportInput): PlacementReport {
  const { abilities, placement, expected } = input;
  const topics = abilities.topics.map(({ name }, topic): TopicReport => {
    const value = expected[topic] as number;
    const error = slopeAt(value) * Math.sqrt(placement.skillVariance[topic] as number);
    return { topic: name, expectedQuality: value, expectedError: error };
  });
  const byError = [...topics.keys()].sort((a, b) => errorAt(topics, a) - errorAt(topics, b) || a - b);
  const least = byError.at(-1) as number;
  const uncertainty = overallUncertainty(input);
  return {
    surest: topics[byError[0] as number] as TopicReport,
    leastSure: {
      ...(topics[least] as TopicReport),
      // A precision of n answers is added; a quarter of the variance is half the error.
      answersToHalve: Math.ceil(
        3 / (placement.skillVariance[least] as number) / slopeAt(expected[least] as number),
      ),
    },
    nextBenchmark: nextBenchmark(input, uncertainty),
    nextTopic: nextTopic(input, uncertainty),
  };
}

const errorAt = (topics: readonly TopicReport[], topic: number): number =>
  (topics[topic] as TopicReport).expectedError;

/** Derivative of an expected score by its log-odds, which is also the Fisher information of one answer. */
const slopeAt = (expected: number): number => Math.max(expected * (1 - expected), 0.01);

/** Linear approximation of overall quality by factors and topic residuals: `pull · factors + Σ step · own`. */
interface Uncertainty {
  readonly variance: number;
  /** `[RANK]` */
  readonly pull: Float64Array;
  /** Covariance of overall quality with each factor, `[RANK]`. */
  readonly withFactors: Float64Array;
  readonly step: Float64Array;
  /** Share of a topic's skill determined by its own answers, and the remaining variance of its residual. */
  readonly trust: Float64Array;
  readonly ownVariance: Float64Array;
}

function overallUncertainty({ abilities, placement, expected, weights }: ReportInput): Uncertainty {
  const trust = Float64Array.from(abilities.topics, ({ residualVariance }, topic) => {
    const information = placement.information[topic] as number;
    return residualVariance / (residualVariance + 1 / Math.max(information, 1e-9));
  });
  const step = Float64Array.from(expected, (value, topic) => (weights[topic] as number) * slopeAt(value));
  const ownVariance = Float64Array.from(
    abilities.topics,
    ({ residualVariance }, topic) => residualVariance * (1 - (trust[topic] as number)),
  );
  const pull = new Float64Array(RANK);
  let variance = 0;
  abilities.topics.forEach(({ loading }, topic) => {
    const influence = (step[topic] as number) * (1 - (trust[topic] as number));
    loading.forEach((weight, k) => {
      pull[k] = (pull[k] as number) + influence * weight;
    });
    variance += (step[topic] as number) ** 2 * (ownVariance[topic] as number);
  });
  const withFactors = timesCovariance(pull, placement);
  return { variance: variance + dot(pull, withFactors), pull, withFactors, step, trust, ownVariance };
}

function nextBenchmark(
  { abilities, placement, given }: ReportInput,
  { variance, withFactors }: Uncertainty,
): PlacementReport["nextBenchmark"] {
  let best: PlacementReport["nextBenchmark"] = null;
  for (const test of abilities.benchmarks) {
    if (given.has(test.name)) continue;
    const covariance = dot(test.loading, withFactors);
    const own = expectedOn(test, placement.posterior).variance;
    const error = Math.sqrt(Math.max(0, variance - covariance ** 2 / own));
    if (best === null || error < best.expectedError) best = { benchmark: test.name, expectedError: error };
  }
  return best;
}

function nextTopic(
  { abilities, placement, expected }: ReportInput,
  { variance, withFactors, step, trust, ownVariance }: Uncertainty,
): PlacementReport["nextTopic"] {
  const candidates = abilities.topics.map((test: NamedTest, topic) => {
    const covariance =
      (1 - (trust[topic] as number)) * dot(test.loading, withFactors) +
      (step[topic] as number) * (ownVariance[topic] as number);
    const noise = 1 / (ANSWERS_ASKED_FOR * slopeAt(expected[topic] as number));
    const total = (placement.skillVariance[topic] as number) + noise;
    const error = Math.sqrt(Math.max(0, variance - covariance ** 2 / total));
    return { topic: test.name, answers: ANSWERS_ASKED_FOR, expectedError: error };
  });
  return candidates.reduce((best, one) => (one.expectedError < best.expectedError ? one : best));
}

function timesCovariance(values: Float64Array, { posterior }: Placement): Float64Array {
  return values.map((_, j) =>
    values.reduce((sum, value, k) => sum + (posterior.covariance[j * RANK + k] as number) * value, 0),
  );
}

function dot(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, value, k) => sum + value * (b[k] as number), 0);
}
