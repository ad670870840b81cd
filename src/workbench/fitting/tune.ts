import type { AnchorSet, EvidenceParameters } from "../../engine/estimation/anchor-set.js";
import type { Evidence } from "../../engine/estimation/evidence.js";
import { withoutAnchor } from "../../engine/index.js";
import type { Neighbours } from "../../engine/search/anchor-index.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";
import type { FactorTest } from "./ability-factors.js";
import { expectedScore, type JointEvidence } from "./joint-evidence.js";

/** The router's estimator as used by tuning; a parameter, because the router depends on profiles and not the reverse. */
export type GatherEvidence = (
  set: AnchorSet,
  neighbours: Neighbours,
) => Pick<Evidence, "quality" | "billRatio" | "answerRatio">;

export interface TuneInput {
  /** Loaded with any parameters; its tables are modified while an anchor is held out, and restored. */
  readonly set: AnchorSet;
  /** In the set's column order. */
  readonly joint: JointEvidence;
  /** `[models]` in the set's column order: quality per anchor, NaN = not observed. */
  readonly qualityOf: (model: number, anchor: number) => number;
}

/**
 * `full` tries every kernel; `defaults` keeps the default one, which saves most of a build's time and usually gives the
 * same set. Similarity thresholds and the correlation of residuals are measured in both cases.
 */
export type Tuning = "full" | "defaults";

export interface TuneParametersOptions {
  readonly gather: GatherEvidence;
  readonly seed: number;
  readonly tuning: Tuning;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

const SAMPLE_ANCHORS = 1200;

interface Kernel {
  readonly neighbours: number;
  readonly kernelWidth: number;
  readonly priorWeight: number;
}

/**
 * Kernel used unless a set's own scores clearly favour another: the best mean over five public sets in repeated
 * four-fold cross-validation of their training parts, and never worse than the best single model on any of them
 * (docs/decisions/estimator.md, joint-evidence.md).
 */
export const DEFAULT_KERNEL: Kernel = {
  neighbours: 128,
  kernelWidth: 0.2,
  priorWeight: 128,
};
/** Parameters of a set that is not tuned yet. */
export const UNTUNED: EvidenceParameters = {
  ...DEFAULT_KERNEL,
  outOfDistributionSimilarity: 0,
  inDistributionSimilarity: 0,
  nearSimilarity: 0,
  pairedCorrelation: 0,
  nearEaseVariance: 0,
};

const KERNEL_WIDTHS = [0.05, 0.1, 0.2];
const PRIOR_WEIGHTS = [32, 64, 128, 256];
/** In smaller sets, 128 neighbours may be most of the set, so that fewer are tried too. */
const SMALL_SET_ANCHORS = 2000;
const SMALL_SET_NEIGHBOURS = [24, 64, 128];
const SMALL_SET_SAMPLE = 400;
const SMALL_SET_KERNEL_WIDTHS = [0.1, 0.2];
const SMALL_SET_PRIOR_WEIGHTS = [4, 16, 64, 128];

/** The kernels to try on a set of this many anchors. */
function kernelsFor(anchors: number): Kernel[] {
  const isSmall = anchors < SMALL_SET_ANCHORS;
  const neighbourCounts = isSmall ? SMALL_SET_NEIGHBOURS : [DEFAULT_KERNEL.neighbours];
  const priorWeights = isSmall ? SMALL_SET_PRIOR_WEIGHTS : PRIOR_WEIGHTS;
  const kernelWidths = isSmall ? SMALL_SET_KERNEL_WIDTHS : KERNEL_WIDTHS;
  return neighbourCounts.flatMap((neighbours) =>
    kernelWidths.flatMap((kernelWidth) =>
      priorWeights.map((priorWeight) => ({ neighbours, kernelWidth, priorWeight })),
    ),
  );
}

/**
 * A prompt is in-distribution when its nearest anchor is at least as similar as that of all but this share of the
 * anchors, and entirely out-of-distribution at the given distance below. With a share of 10 %, accuracy on
 * in-distribution prompts was .001 lower; the distance is a guess.
 */
const IN_DISTRIBUTION_QUANTILE = 0.01;
/** Quantile of the anchors' nearest similarities from which on a prompt has the ease of its neighbours. */
const NEAR_QUANTILE = 0.75;
const OUT_OF_DISTRIBUTION_DISTANCE = 0.2;

/**
 * Chooses the kernel and the weight of the prior by leave-one-out over a sample of the anchors: the held-out anchor is
 * excluded from its neighbours and from the tables of topics. Minimises the squared error of the differences between
 * models on the same prompt, because only differences affect decisions.
 */
export function tune(
  input: TuneInput,
  { gather, seed, tuning, onProgress }: TuneParametersOptions,
): EvidenceParameters {
  const cases = heldOutCases(input, seed);
  const nearest = cases.map(({ neighbours }) => neighbours.similarities[0] ?? 0).sort((a, b) => a - b);
  const base: EvidenceParameters = {
    ...UNTUNED,
    outOfDistributionSimilarity: quantile(nearest, IN_DISTRIBUTION_QUANTILE) - OUT_OF_DISTRIBUTION_DISTANCE,
    inDistributionSimilarity: quantile(nearest, IN_DISTRIBUTION_QUANTILE),
    nearSimilarity: quantile(nearest, NEAR_QUANTILE),
  };
  const grid = tuning === "full" ? kernelsFor(input.set.index.size) : [];
  const trials = grid.map((point, done) => {
    const parameters = { ...base, ...point };
    const errors = pairedErrors(input, { cases, parameters, gather }).errors;
    onProgress?.(done + 1, grid.length);
    return { parameters, errors };
  });
  const margin =
    input.set.index.size < SMALL_SET_ANCHORS ? WORTHWHILE_SAVING_IN_A_SMALL_SET : WORTHWHILE_SAVING;
  const parameters = preferDefault(trials, { base, margin });
  const { correlation } = pairedErrors(input, { cases, parameters, gather });
  const nearEaseVariance = easeVarianceOf(input, { cases, parameters, gather });
  return { ...parameters, pairedCorrelation: correlation, nearEaseVariance };
}

interface TrialResult {
  readonly parameters: EvidenceParameters;
  /** One per held-out anchor. */
  readonly errors: readonly number[];
}

/**
 * Relative reduction of the error that a kernel other than the default must achieve. The error is flat around its
 * minimum, and where the embedder was trained on the anchors' prompts, leave-one-out overrates neighbours: with one
 * standard error as the margin, two of five held-out parts lost and none gained (docs/decisions/estimator.md).
 */
const WORTHWHILE_SAVING = 0.02;
/** In a small set, whose prompts the embedder does not know. Most of the error is that of single answers, which no kernel saves. */
const WORTHWHILE_SAVING_IN_A_SMALL_SET = 0.002;

/** The best trial if it reduces the error enough, else the default. */
function preferDefault(
  trials: readonly TrialResult[],
  { base, margin }: { readonly base: EvidenceParameters; readonly margin: number },
): EvidenceParameters {
  const [first, ...others] = trials;
  if (first === undefined || first.errors.length < 2) return base;
  const best = others.reduce((a, b) => (meanOf(b.errors) < meanOf(a.errors) ? b : a), first);
  const standard = trials.find(
    ({ parameters }) =>
      parameters.neighbours === base.neighbours &&
      parameters.kernelWidth === base.kernelWidth &&
      parameters.priorWeight === base.priorWeight,
  );
  if (standard === undefined) return best.parameters;
  const saving = 1 - meanOf(best.errors) / meanOf(standard.errors);
  return saving > margin ? best.parameters : standard.parameters;
}

/** Variance of the ease of a prompt about that of its neighbours, log-odds, in small sets of one's own (planted worlds); and the cases that it counts as. */
const USUAL_EASE_VARIANCE = 0.5;
const PSEUDO_CASES = 150;
/** Nearest anchors that a case's residuals are compared with. */
const COMPARED_NEIGHBOURS = 5;

/**
 * How much easier or harder a prompt is than its neighbours let expect: a variance on the scale of log-odds. An answer is right or wrong by
 * chance as well, which hides the error of its expectation; but two neighbours have about the same error and independent chances, so that
 * the mean product of their residuals, each the mean over the models, is the mean squared error.
 */
function easeVarianceOf(input: TuneInput, { cases, parameters, gather }: Trial): number {
  const set = { ...input.set, parameters };
  const residualOn = (
    anchor: number,
    without: number,
  ): { readonly residual: number; readonly slope: number } => {
    const vector = set.vectorOf(anchor);
    const found = set.index.search(vector, parameters.neighbours + 2);
    const restore = [anchor, without].map((held) => holdOut(input, held));
    const { quality } = gather(set, withoutAnchor(withoutAnchor(found, anchor), without));
    for (const undo of restore.reverse()) undo();
    const known = [...quality.keys()].filter((model) => !Number.isNaN(input.qualityOf(model, anchor)));
    const of = (model: number): number => quality[model] as number;
    return {
      residual: meanOf(known.map((model) => input.qualityOf(model, anchor) - of(model))),
      slope: meanOf(known.map((model) => of(model) * (1 - of(model)))),
    };
  };
  let [products, slopes, pairs] = [0, 0, 0];
  for (const { anchor, neighbours } of cases) {
    for (const other of neighbours.anchors.subarray(0, COMPARED_NEIGHBOURS)) {
      const [here, there] = [residualOn(anchor, other), residualOn(other, anchor)];
      products += here.residual * there.residual;
      slopes += here.slope * there.slope;
      pairs += 1;
    }
  }
  if (pairs === 0) return USUAL_EASE_VARIANCE;
  const prior = (PSEUDO_CASES * COMPARED_NEIGHBOURS * slopes) / pairs;
  return Math.max(0, (products + USUAL_EASE_VARIANCE * prior) / (slopes + prior));
}

interface HeldOutCase {
  readonly anchor: number;
  readonly neighbours: Neighbours;
  /** Models observed on it, at least two, and their quality. */
  readonly models: readonly number[];
  readonly quality: readonly number[];
}

function heldOutCases(input: TuneInput, seed: number): HeldOutCase[] {
  const { set } = input;
  const random = seededRandom(seed);
  const cases: HeldOutCase[] = [];
  const count = set.index.size < SMALL_SET_ANCHORS ? SMALL_SET_SAMPLE : SAMPLE_ANCHORS;
  for (const anchor of sampleWithoutReplacement(set.index.size, { count, random })) {
    const models = set.models
      .map((_, model) => model)
      .filter((model) => !Number.isNaN(input.qualityOf(model, anchor)));
    if (models.length < 2) continue;
    const vector = set.vectorOf(anchor);
    const neighbours = withoutAnchor(set.index.search(vector, DEFAULT_KERNEL.neighbours + 1), anchor);
    cases.push({
      anchor,
      neighbours,
      models,
      quality: models.map((model) => input.qualityOf(model, anchor)),
    });
  }
  return cases;
}

interface Trial {
  readonly cases: readonly HeldOutCase[];
  readonly parameters: EvidenceParameters;
  readonly gather: GatherEvidence;
}

interface PairedErrors {
  /** Squared error of the differences between models on the same prompt, one per held-out anchor. */
  readonly errors: readonly number[];
  /** Correlation of two models' errors on the same prompt, in [0, 0.95]. */
  readonly correlation: number;
}

function pairedErrors(input: TuneInput, { cases, parameters, gather }: Trial): PairedErrors {
  const set = { ...input.set, parameters };
  let squares = 0;
  let products = 0;
  const errors = cases.map((held) => {
    const restore = holdOut(input, held.anchor);
    const { quality } = gather(set, firstOf(held.neighbours, parameters.neighbours));
    restore();
    const residuals = held.models.map(
      (model, index) => (held.quality[index] as number) - (quality[model] as number),
    );
    const count = residuals.length;
    const sum = residuals.reduce((total, residual) => total + residual, 0);
    const squared = residuals.reduce((total, residual) => total + residual ** 2, 0);
    squares += squared / count;
    products += (sum ** 2 - squared) / (count * (count - 1));
    return (squared - sum ** 2 / count) / (count - 1);
  });
  return { errors, correlation: squares > 0 ? Math.min(0.95, Math.max(0, products / squares)) : 0 };
}

/** The `count` nearest of the neighbours. */
function firstOf({ anchors, similarities }: Neighbours, count: number): Neighbours {
  return { anchors: anchors.subarray(0, count), similarities: similarities.subarray(0, count) };
}

/** Removes an anchor's own scores from the tables; the returned function restores them. */
function holdOut(input: TuneInput, anchor: number): () => void {
  const { set, joint } = input;
  const models = set.models.length;
  const topics = set.topics.names.length;
  const topic = set.topics.ofAnchor[anchor] as number;
  const before: [number, number][] = [];
  const change = (offset: number, value: number): void => {
    before.push([offset, set.prior.quality[offset] as number]);
    set.prior.quality[offset] = value;
  };
  for (let model = 0; model < models; model++) {
    const observed = input.qualityOf(model, anchor);
    if (Number.isNaN(observed)) continue;
    const cell = model * topics + topic;
    const expected = expectedScore(joint.skill[cell] as number, joint.ease[anchor] as number);
    const residual = observed - expected;
    // To first order, a score moves the skill by its residual, in units of its own variance, over the information on the skill.
    const offset = topic * models + model;
    const value = set.prior.quality[offset] as number;
    const { residualVariance } = joint.factors.tests[topic] as FactorTest;
    const information = (joint.information[cell] as number) + 1 / residualVariance;
    const moved = residual / (joint.dispersion[topic] as number) / information;
    change(offset, value - value * (1 - value) * moved);
  }
  return () => {
    for (const [offset, value] of before.reverse()) set.prior.quality[offset] = value;
  };
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
}
