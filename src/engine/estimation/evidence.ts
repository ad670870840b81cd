import type { Neighbours } from "../search/anchor-index.js";
import type { AnchorSet, EvidenceParameters, WeightedTopics } from "./anchor-set.js";
import { decodeRatio } from "./bills.js";
import { followRelatives, shareErrors } from "./relatives.js";

/**
 * The evidence of an anchor set for a prompt: for each model (in the set's column order) the expected quality, its
 * standard error and the expected length, from a wide kernel over the nearest anchors shrunk toward the expectation of
 * the neighbours' topics.
 *
 * `quality = (n·local + κ·prior) / (n + κ)`, where `n` is the effective number (Kish) of neighbours. Every model has a
 * value on every neighbour, so that all models are compared on the same prompts: its score where it was scored,
 * otherwise the value that follows from its skill on the neighbour's topic and the neighbour's ease. κ grows with the
 * out-of-distribution score: the estimate for an out-of-distribution prompt approaches the prior, and that the
 * expectation over all topics, because which topics such a prompt is nearest to changes with its wording.
 */
export interface Evidence {
  /** Expected quality in [0, 1], lowered by what is unknown of the model: a model's own, whoever else is a candidate; `[models]`. */
  readonly quality: Float64Array;
  /** Standard error of `quality`, > 0, `[models]`, and the part of it that other models do not share: without the prompt's ease. */
  readonly stderr: Float64Array;
  readonly ownError: Float64Array;
  /** Effective number of scored neighbours, ≥ 0, `[models]`. */
  readonly effective: Float64Array;
  /** Expected bill of each model, as a ratio to its price for the expected tokens, `[models]`. */
  readonly billRatio: Float64Array;
  /** What a difference of log-odds between models comes to on this prompt, > 0. */
  readonly oddsScale: number;
  /** How much longer answers are than the text of the prompt lets expect, a factor. */
  readonly answerRatio: number;
  /** Cosine similarity of the nearest anchor; 0 when there is none. */
  readonly nearestSimilarity: number;
  /** Out-of-distribution score: 0 for a prompt of a profiled kind, 1 for one unlike all of them. */
  readonly outOfDistribution: number;
}

/** κ for an entirely out-of-distribution prompt, in multiples of κ for an in-distribution one. */
const OUT_OF_DISTRIBUTION_PRIOR_FACTOR = 50;
/**
 * The order of models begins to be that over all topics at this out-of-distribution score, and is so after this span: halfway like a kind,
 * it is still that of the kind. In proportion, 4 instead of 1 of 50 rewordings change a choice, and held-out prompts are ranked worse.
 */
const LEAST_UNLIKE = 0.3;
const UNLIKE_SPAN = 0.4;
/** Number of topics used: those with the largest weight among the neighbours. */
const NEAREST_TOPICS = 8;
/**
 * An expected quality is lowered by so many standard errors, as far as they exceed those of a model that is well known: of two models that
 * are expected to be equal, the better-known one stands first, and the best of hundreds of estimates is not the luckiest (guess).
 */
const CAUTION = 0.35;
/** Variance of the skill of a well-known model, log-odds: one of a thousand graded answers in the shipped set. */
const KNOWN_SKILL_VARIANCE = 0.1;
/** Variance of the ease (log-odds) of a prompt without any information (guess: that of the anchors' ease). */
const UNKNOWN_EASE_VARIANCE = 2;

export interface PromptFacts {
  /** How hard the prompt is, in tiers from 0 to 4; absent or NaN when unknown. */
  readonly difficulty?: number;
  /** Mean length of visible answers in tokens, by the text of the prompt; absent when unknown. */
  readonly answerTokens?: number | undefined;
  /** Whether the text says how long the answer is to be. */
  readonly lengthIsAsked?: boolean;
  /** Whether it is a task of an agent, by its text (`isAgentWork`). */
  readonly isAgentWork?: boolean;
}

export function gatherEvidence(
  set: AnchorSet,
  neighbours: Neighbours,
  { difficulty = Number.NaN }: PromptFacts = {},
): Evidence {
  const { parameters } = set;
  const nearestSimilarity = neighbours.similarities[0] ?? 0;
  const wide = kernelWeights(neighbours, parameters.kernelWidth);
  // Of the wide kernel: which kinds surround the prompt, not which one it is taken for.
  const around = nearestTopics(set, { neighbours, weights: wide });
  const far = 1 - inDistributionScore(nearestSimilarity, parameters);
  const unlikeSource = 1 - likenessToSource(set.sources, neighbours);
  const unlikeKinds = unlikeSource * distanceToKinds(set, { neighbours, topics: around });
  const outOfDistribution = Math.max(far * unlikeSource, unlikeKinds);
  const unlike = Math.max(far * unlikeSource, clampUnit((unlikeKinds - LEAST_UNLIKE) / UNLIKE_SPAN));
  const kappa = parameters.priorWeight * OUT_OF_DISTRIBUTION_PRIOR_FACTOR ** unlike;
  const weights = weighSources(set.sources, { neighbours, weights: wide }, { trust: 1 - far });
  const { total, effective } = effectiveNumber(weights);
  const topics = weights === wide ? around : nearestTopics(set, { neighbours, weights });
  const prior = set.sums.blendTopics(topics, 1 - unlike);
  const sums = set.sums.sumNeighbours(neighbours.anchors, weights);
  const { billUnit, measuredVariance, placedVariance } = set.columns;
  const trust = effective / (effective + kappa);
  const perWeight = total > 0 ? trust / total : 0;
  // Lengths and bills are those of a source's tasks: its harness, its agent. They say nothing of other prompts on the subject.
  const billTrust = set.billSlope * (set.sources.count < 2 ? 1 - far : 1 - unlikeSource);
  const answerRatio = answerRatioNear(set, { neighbours, weights }, billTrust);
  const columns = emptyColumns(set.models.length);
  const { quality, ownError } = columns;
  for (let model = 0; model < quality.length; model++) {
    const local = (sums.quality[model] as number) * (perWeight / 255);
    quality[model] = clampUnit(local + (1 - trust) * (prior.quality[model] as number));
  }
  followRelatives(set.relatives, quality, difficulty);
  const ease = easeStep(set, { quality, outOfDistribution, difficulty });
  const result: Evidence = {
    ...columns,
    nearestSimilarity,
    outOfDistribution,
    answerRatio,
    oddsScale: ease.scale,
  };
  const varianceAt = varianceTerms(set, { effective, kappa, scale: ease.scale });
  for (let model = 0; model < quality.length; model++) {
    const expected = expectedAtEase(quality[model] as number, ease);
    const coverage = Math.min(1, prior.coverage[model] as number);
    quality[model] = expected;
    const skillVariance =
      coverage * (measuredVariance[model] as number) + (1 - coverage) * (placedVariance[model] as number);
    ownError[model] = Math.sqrt(varianceAt({ quality: expected, coverage }, skillVariance));
    result.effective[model] = effective * coverage;
    const localBill = (sums.length[model] as number) * (billUnit[model] as number) * perWeight;
    const nearBill = localBill + (1 - trust) * (prior.length[model] as number);
    const overallBill = set.prior.overall.length[model] as number;
    result.billRatio[model] = decodeRatio(overallBill + billTrust * (nearBill - overallBill) - 1);
  }
  shareErrors(set.relatives, { quality, stderr: ownError });
  const easeError = Math.sqrt(ease.error ** 2 + (1 - outOfDistribution) * parameters.nearEaseVariance);
  for (let model = 0; model < quality.length; model++) {
    const expected = quality[model] as number;
    const error = ownError[model] as number;
    const ofEase = expected * (1 - expected) * easeError;
    const beyond = error * error - varianceAt({ quality: expected, coverage: 1 }, KNOWN_SKILL_VARIANCE);
    quality[model] = clampUnit(expected - CAUTION * Math.sqrt(Math.max(0, beyond)));
    result.stderr[model] = Math.sqrt(error * error + ofEase * ofEase);
  }
  // Being new is no evidence against a model that is known to follow another.
  for (const { column, predecessor } of set.successors)
    quality[column] = Math.max(quality[column] as number, quality[predecessor] as number);
  return result;
}

/** Neighbours with known lengths whose mean counts as much as what is common to all sources (guess). */
const PSEUDO_LENGTHS = 1;

/**
 * The neighbours' ratio of measured to expected lengths, a geometric mean, shrunk toward what all sources of the set have in common.
 * Lengths differ from prompt to prompt more than qualities do: their kernel is that of quality to the fourth power, four times as narrow
 * (2, 4 and 8 tried).
 */
function answerRatioNear(
  { answerLevels }: AnchorSet,
  { neighbours, weights }: WeightedNeighbours,
  certainty: number,
): number {
  const { ofAnchor, overall } = answerLevels;
  let [sum, total, squares] = [0, 0, 0];
  for (let entry = 0; entry < weights.length; entry++) {
    const level = ofAnchor[neighbours.anchors[entry] as number] as number;
    if (Number.isNaN(level)) continue;
    const square = (weights[entry] as number) * (weights[entry] as number);
    const weight = square * square;
    sum += weight * level;
    total += weight;
    squares += weight * weight;
  }
  // Also where the sum of squares is below the smallest number: the lengths are known of anchors far away alone.
  if (squares === 0) return 2 ** overall;
  const effective = (total * total) / squares;
  const trust = (certainty * effective) / (effective + PSEUDO_LENGTHS);
  return 2 ** (trust * (sum / total) + (1 - trust) * overall);
}

/** The weight of each neighbour's scores in the estimates, as `gatherEvidence` has them. */
export function neighbourWeights({ parameters, sources }: AnchorSet, neighbours: Neighbours): Float32Array {
  const weights = kernelWeights(neighbours, parameters.kernelWidth);
  const trust = inDistributionScore(neighbours.similarities[0] ?? 0, parameters);
  return weighSources(sources, { neighbours, weights }, { trust });
}

/** All zeros. One buffer for all columns: one for each would take a microsecond more. */
function emptyColumns(
  models: number,
): Pick<Evidence, "quality" | "stderr" | "ownError" | "effective" | "billRatio"> {
  const buffer = new ArrayBuffer(5 * models * Float64Array.BYTES_PER_ELEMENT);
  const column = (slot: number): Float64Array =>
    new Float64Array(buffer, slot * models * Float64Array.BYTES_PER_ELEMENT, models);
  return {
    quality: column(0),
    stderr: column(1),
    ownError: column(2),
    effective: column(3),
    billRatio: column(4),
  };
}

/** 0 for an out-of-distribution prompt, 1 for an in-distribution one. */
function inDistributionScore(nearestSimilarity: number, parameters: EvidenceParameters): number {
  const { inDistributionSimilarity, outOfDistributionSimilarity } = parameters;
  const span = inDistributionSimilarity - outOfDistributionSimilarity;
  return clampUnit(span > 0 ? (nearestSimilarity - outOfDistributionSimilarity) / span : 1);
}

/** exp((similarity − best) / τ), in (0, 1]. */
function kernelWeights({ similarities }: Neighbours, kernelWidth: number): Float32Array {
  const best = similarities[0] ?? 0;
  const weights = new Float32Array(similarities.length);
  for (let entry = 0; entry < weights.length; entry++)
    weights[entry] = Math.exp(((similarities[entry] as number) - best) / kernelWidth);
  return weights;
}

/**
 * Kernel width for deciding which source a prompt is from. Far narrower than the kernel for quality: a source of six
 * prompts has no more near ones, and the hundred others within a wide kernel carry no information about it.
 */
const SOURCE_KERNEL_WIDTH = 0.02;

/**
 * Weights of the neighbours, with those of each source scaled so that together they have the share that the nearest
 * neighbours give the source. Scores of two sources were made with different tasks and graders, so a few neighbours of
 * the prompt's own source are more informative than many of another. `trust` in [0, 1] is the extent of this scaling.
 */
function weighSources(
  { count, ofAnchor }: AnchorSet["sources"],
  { neighbours, weights }: WeightedNeighbours,
  { trust }: { readonly trust: number },
): Float32Array {
  if (count < 2 || trust <= 0) return weights;
  const narrow = kernelWeights(neighbours, SOURCE_KERNEL_WIDTH);
  const shares = new Float64Array(count);
  const present = new Float64Array(count);
  let narrowTotal = 0;
  let total = 0;
  for (let entry = 0; entry < weights.length; entry++) {
    const source = ofAnchor[neighbours.anchors[entry] as number] as number;
    const [near, weight] = [narrow[entry] as number, weights[entry] as number];
    shares[source] = (shares[source] as number) + near;
    present[source] = (present[source] as number) + weight;
    narrowTotal += near;
    total += weight;
  }
  for (let source = 0; source < count; source++) {
    const own = present[source] as number;
    if (own > 0)
      shares[source] = 1 - trust + (trust * (shares[source] as number) * total) / (narrowTotal * own);
  }
  return weights.map(
    (weight, entry) => weight * (shares[ofAnchor[neighbours.anchors[entry] as number] as number] as number),
  );
}

/** Σw, and Kish's effective number of neighbours. */
function effectiveNumber(weights: Float32Array): { readonly total: number; readonly effective: number } {
  let total = 0;
  let squares = 0;
  for (let entry = 0; entry < weights.length; entry++) {
    const weight = weights[entry] as number;
    total += weight;
    squares += weight * weight;
  }
  return { total, effective: squares > 0 ? (total * total) / squares : 0 };
}

interface WeightedNeighbours {
  readonly neighbours: Neighbours;
  readonly weights: Float32Array;
}

/** The topics with most of the neighbours' weight, at most `NEAREST_TOPICS`; ties by topic number. */
function nearestTopics({ topics }: AnchorSet, { neighbours, weights }: WeightedNeighbours): WeightedTopics {
  const byTopic = new Float64Array(topics.names.length);
  for (let entry = 0; entry < weights.length; entry++) {
    const at = topics.ofAnchor[neighbours.anchors[entry] as number] as number;
    byTopic[at] = (byTopic[at] as number) + (weights[entry] as number);
  }
  const topic = new Uint16Array(NEAREST_TOPICS);
  const weight = new Float64Array(NEAREST_TOPICS);
  let count = 0;
  for (let candidate = 0; candidate < byTopic.length; candidate++) {
    const value = byTopic[candidate] as number;
    if (value === 0 || (count === NEAREST_TOPICS && value <= (weight[count - 1] as number))) continue;
    let slot = Math.min(count, NEAREST_TOPICS - 1);
    for (; slot > 0 && value > (weight[slot - 1] as number); slot--) {
      topic[slot] = topic[slot - 1] as number;
      weight[slot] = weight[slot - 1] as number;
    }
    topic[slot] = candidate;
    weight[slot] = value;
    if (count < NEAREST_TOPICS) count++;
  }
  let total = 0;
  for (let entry = 0; entry < count; entry++) total += weight[entry] as number;
  for (let entry = 0; entry < count; entry++) weight[entry] = (weight[entry] as number) / total;
  return { topic, weight, count };
}

interface EaseStep {
  readonly step: number;
  /** Standard error of the ease of the kind of prompt, which all models share, after scaling. */
  readonly error: number;
  /**
   * What the log-odds of all models are multiplied by for all that is unknown of the prompt's ease, in (0, 1]: the mean of the logistic of a
   * normal variable is about the logistic of its shrunk mean (MacKay 1992).
   */
  readonly scale: number;
}

const SAME_EASE = { step: 0, scale: 1 };

/** Difficulty in tiers from which on ease is as uncertain as between sources; every model solves a trivial prompt, by the definition of the tiers. */
const UNCERTAIN_FROM = 2;

interface EaseInput {
  /** Expected quality of each model before the ease step, `[models]`. */
  readonly quality: Float64Array;
  readonly outOfDistribution: number;
  readonly difficulty: number;
}

/**
 * How much easier the prompt is than its neighbours (log-odds), with the variance of its ease. Near anchors, the prompt
 * has the neighbours' ease; out of distribution, the ease that follows from its difficulty. The neighbours' ease for
 * the models of the set is computed from their expected qualities, so that an out-of-distribution prompt is expected to
 * be as easy as its difficulty says, whatever its neighbours are about. The order of the models remains that of the
 * neighbours.
 */
function easeStep(
  { difficulty: scale, prior }: AnchorSet,
  { quality, outOfDistribution, difficulty }: EaseInput,
): EaseStep {
  if (scale === null || Number.isNaN(difficulty))
    return { ...SAME_EASE, error: Math.sqrt(outOfDistribution * UNKNOWN_EASE_VARIANCE) };
  if (outOfDistribution === 0) return { ...SAME_EASE, error: 0 };
  const evidence = prior.overallEase + logOddsOfMean(quality) - logOddsOfMean(prior.overall.quality);
  const expected = scale.intercept + scale.slope * difficulty;
  const share = (outOfDistribution * Math.min(1, difficulty / UNCERTAIN_FROM)) ** 2;
  const variance = share * scale.betweenVariance;
  const factor = 1 / Math.sqrt(1 + (Math.PI / 8) * (variance + share * scale.withinVariance));
  return {
    step: outOfDistribution * (expected - evidence),
    error: factor * Math.sqrt(variance),
    scale: factor,
  };
}

/** @param probabilities at least one, in [0, 1] */
function logOddsOfMean(probabilities: Float64Array | Float32Array): number {
  let sum = 0;
  for (let slot = 0; slot < probabilities.length; slot++) sum += probabilities[slot] as number;
  const mean = Math.min(0.999, Math.max(0.001, sum / probabilities.length));
  return Math.log(mean / (1 - mean));
}

/** Neighbours used to decide whether a prompt is in-distribution: at most this many, and at most this share of the anchors. */
const NEIGHBOURS_OF_A_KIND = 20;
const SHARE_OF_A_KIND = 0.01;
/**
 * Similarity that the last of these neighbours must have for an in-distribution prompt, as a fraction of the way from
 * the least to the usual similarity of profiled prompts' nearest anchors.
 */
const KIND_SPAN = 0.2;
/** Share of the neighbours' weight on one topic from which on a prompt may be of that topic, at any distance. */
const MIXED_TOPICS = 0.6;

/**
 * Out-of-distribution score in [0, 1]. An in-distribution prompt has many similar anchors, one very similar anchor, or
 * neighbours of one topic. A single anchor of medium similarity is weak evidence: it may share only a word. The
 * similarity of the k-th neighbour separates everyday prompts from anchors better than that of the nearest, and both
 * better than the number of sources among the neighbours (docs/decisions/joint-evidence.md).
 */
function distanceToKinds(
  { parameters, sources, index }: AnchorSet,
  {
    neighbours: { similarities },
    topics,
  }: { readonly neighbours: Neighbours; readonly topics: WeightedTopics },
): number {
  // One source carries no information about the kind of prompt: the neighbours stand.
  if (sources.count < 2 || similarities.length === 0) return 0;
  const { nearSimilarity, inDistributionSimilarity } = parameters;
  const usual = Math.max(nearSimilarity - inDistributionSimilarity, 1e-6);
  const apart = clampUnit((nearSimilarity - (similarities[0] as number)) / (usual / 2));
  const wanted = Math.min(NEIGHBOURS_OF_A_KIND, Math.ceil(index.size * SHARE_OF_A_KIND));
  const last = similarities[Math.min(wanted, similarities.length) - 1] as number;
  const alone = clampUnit(1 - (last - inDistributionSimilarity) / (KIND_SPAN * usual));
  const mixed = clampUnit((1 - (topics.weight[0] as number)) / (1 - MIXED_TOPICS));
  return apart * alone * mixed;
}

/**
 * Share of the nearest anchors from one source from which on a prompt may be of that source, and from which on it
 * certainly is.
 */
const MIXED_SOURCES = 0.5;
const PURE_SOURCE = 0.9;

/**
 * Certainty in [0, 1] that a prompt is of its nearest anchor's source: high when it is as similar to that anchor as
 * anchors of the source are to each other and the nearest anchors are of that source. Both are needed, since small talk
 * is as similar to some exam question of any source.
 */
function likenessToSource(
  { ofAnchor, similarity }: AnchorSet["sources"],
  { anchors, similarities }: Neighbours,
): number {
  const source = ofAnchor[anchors[0] ?? 0] as number;
  const usual = similarity?.[source];
  if (usual === undefined || anchors.length === 0) return 0;
  const span = Math.max(usual.usual - usual.least, 1e-6);
  const isNear = clampUnit(((similarities[0] as number) - usual.least) / span);
  const count = Math.min(usual.neighbours, anchors.length);
  let ofSource = 0;
  for (let entry = 0; entry < count; entry++) if (ofAnchor[anchors[entry] as number] === source) ofSource++;
  return isNear * clampUnit((ofSource / count - MIXED_SOURCES) / (PURE_SOURCE - MIXED_SOURCES));
}

/** A probability after a step of log-odds. */
function expectedAtEase(probability: number, { step, scale }: EaseStep): number {
  if (step === 0 && scale === 1) return probability;
  const p = Math.min(0.999, Math.max(0.001, probability));
  return 1 / (1 + Math.exp(-scale * (Math.log(p / (1 - p)) + step)));
}

/** Moves a probability by a step of log-odds. */
export function shiftOdds(probability: number, step: number): number {
  if (step === 0) return probability;
  const p = Math.min(0.999, Math.max(0.001, probability));
  return 1 / (1 + ((1 - p) / p) * Math.exp(-step));
}

/**
 * Variance of an expected quality but for the prompt's ease: the uncertainty that the neighbours' scores leave, and that of the model's
 * skill on these topics, a variance on the scale of log-odds; a step of quality is `q(1 − q)` of a step of log-odds.
 */
const varianceTerms =
  (
    { parameters }: AnchorSet,
    {
      effective,
      kappa,
      scale,
    }: { readonly effective: number; readonly kappa: number; readonly scale: number },
  ) =>
  (
    { quality, coverage }: { readonly quality: number; readonly coverage: number },
    skillVariance: number,
  ): number => {
    const spread = Math.max(quality * (1 - quality), 0.01);
    const scored = effective * coverage;
    const open = (spread * scale * kappa) / (scored + kappa);
    return spread / (scored + parameters.priorWeight) + open * open * skillVariance;
  };

const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));
