import type { Neighbours } from "../profiles/anchor-index.js";
import type {
  AnchorSet,
  ClusterBlend,
  EvidenceParameters,
  NeighbourSums,
  Panel,
} from "../profiles/anchor-set.js";
import { clusterMemberships } from "../profiles/memberships.js";

/**
 * What an anchor set says about a prompt: per model (in the set's column order) the expected quality, its standard error
 * and the expected length, from a wide kernel over the nearest anchors shrunk toward a cluster prior.
 *
 * `quality = (n·local + κ·prior) / (n + κ)`, where `n` is the effective number (Kish) of neighbours the model was scored
 * on. Local means of models that were scored on different neighbours are put on the same difficulty first. κ grows as
 * the nearest anchor recedes, so that a foreign prompt degrades to the prior, and in the end to the overall mean.
 */
export interface Evidence {
  /** Expected quality in [0, 1], `[models]`. */
  readonly quality: Float64Array;
  /** Standard error of `quality`, > 0, `[models]`. */
  readonly stderr: Float64Array;
  /** Effective number of scored neighbours, ≥ 0, `[models]`. */
  readonly effective: Float64Array;
  /** Expected length in the unit of the model's column (tokens, or nano-dollars), `[models]`. */
  readonly length: Float64Array;
  /** Cosine similarity of the nearest anchor; 0 when there is none. */
  readonly nearestSimilarity: number;
}

/** κ at an entirely foreign prompt, in multiples of κ at home. */
const FOREIGN_PRIOR_FACTOR = 50;

export function gatherEvidence(set: AnchorSet, vector: Float32Array, neighbours: Neighbours): Evidence {
  const nearestSimilarity = neighbours.similarities[0] ?? 0;
  const home = homeliness(nearestSimilarity, set.parameters);
  const kappa = set.parameters.priorWeight * FOREIGN_PRIOR_FACTOR ** (1 - home);
  const prior = clusterPrior(set, vector, home);
  const sums = set.sums.sumNeighbours(neighbours.anchors, kernelWeights(neighbours, set.parameters));
  const around = neighbourhood(levelsOf(sums, set.panels.length), { prior, kappa });
  const result = emptyEvidence(set.models.length, nearestSimilarity);
  for (let p = 0; p < set.panels.length; p++) combinePanel(set, { p, sums, prior, kappa, around, result });
  return result;
}

/** All zeros. One buffer for all columns: four of their own would take a microsecond more. */
function emptyEvidence(models: number, nearestSimilarity: number): Evidence {
  const buffer = new ArrayBuffer(4 * models * Float64Array.BYTES_PER_ELEMENT);
  const column = (place: number): Float64Array =>
    new Float64Array(buffer, place * models * Float64Array.BYTES_PER_ELEMENT, models);
  return {
    quality: column(0),
    stderr: column(1),
    effective: column(2),
    length: column(3),
    nearestSimilarity,
  };
}

/** 0 for a prompt unlike any anchor, 1 for one at home among them. */
function homeliness(nearestSimilarity: number, parameters: EvidenceParameters): number {
  const span = parameters.homeSimilarity - parameters.foreignSimilarity;
  const position = span > 0 ? (nearestSimilarity - parameters.foreignSimilarity) / span : 1;
  return Math.min(1, Math.max(0, position));
}

interface Prior extends ClusterBlend {
  readonly qualityLevel: number;
  readonly lengthLevel: number;
  /** × the blend's coverage = share in [0, 1]. */
  readonly resolutions: number;
}

function clusterPrior({ prior, sums }: AnchorSet, vector: Float32Array, home: number): Prior {
  const memberships = clusterMemberships(prior.similarities(vector), prior.resolutionStarts);
  const { cluster, weight } = memberships;
  let qualityLevel = 0;
  let lengthLevel = 0;
  for (let entry = 0; entry < cluster.length; entry++) {
    const share = weight[entry] as number;
    qualityLevel += share * (prior.levels.quality[cluster[entry] as number] as number);
    lengthLevel += share * (prior.levels.length[cluster[entry] as number] as number);
  }
  const { quality, length, coverage } = sums.blendClusters(memberships, home);
  return {
    quality,
    length,
    coverage,
    qualityLevel: home * qualityLevel + (1 - home) * prior.overallLevel.quality,
    lengthLevel: home * lengthLevel + (1 - home) * prior.overallLevel.length,
    resolutions: prior.resolutionStarts.length - 1,
  };
}

/** exp((similarity − best) / τ), in (0, 1]. */
function kernelWeights({ similarities }: Neighbours, { kernelWidth }: EvidenceParameters): Float32Array {
  const best = similarities[0] ?? 0;
  const weights = new Float32Array(similarities.length);
  for (let entry = 0; entry < weights.length; entry++)
    weights[entry] = Math.exp(((similarities[entry] as number) - best) / kernelWidth);
  return weights;
}

/** What is known of some neighbours, whoever was scored on them. */
interface Levels {
  /** Σw, ≥ 0. */
  readonly weight: number;
  /** Effective number (Kish). */
  readonly effective: number;
  /** Weighted mean ease and length; 0 without weight. */
  readonly quality: number;
  readonly length: number;
}

/** @param p number of a panel, or of all neighbours: the number of panels */
function levelsOf({ levels }: NeighbourSums, p: number): Levels {
  const weight = levels[4 * p] as number;
  if (weight === 0) return { weight, effective: 0, quality: 0, length: 0 };
  return {
    weight,
    effective: (weight * weight) / (levels[4 * p + 1] as number),
    quality: (levels[4 * p + 2] as number) / weight,
    length: (levels[4 * p + 3] as number) / weight,
  };
}

/** The neighbourhood as a whole: how much easier and longer it is than its clusters, and how far it is trusted. */
interface Neighbourhood {
  readonly all: Levels;
  readonly trust: number;
  /** Mean level of all neighbours minus the prior's level. */
  readonly qualityGap: number;
  readonly lengthGap: number;
}

function neighbourhood(
  all: Levels,
  { prior, kappa }: { readonly prior: Prior; readonly kappa: number },
): Neighbourhood {
  if (all.weight === 0) return { all, trust: 0, qualityGap: 0, lengthGap: 0 };
  return {
    all,
    trust: all.effective / (all.effective + kappa),
    qualityGap: all.quality - prior.qualityLevel,
    lengthGap: all.length - prior.lengthLevel,
  };
}

interface PanelParts {
  readonly p: number;
  readonly sums: NeighbourSums;
  readonly prior: Prior;
  readonly kappa: number;
  readonly around: Neighbourhood;
  readonly result: Evidence;
}

function combinePanel(set: AnchorSet, { p, sums, prior, kappa, around, result }: PanelParts): void {
  const { firstModel, width } = set.panels[p] as Panel;
  const cells = sums.panels[p] as NeighbourSums["panels"][number];
  const own = levelsOf(sums, p);
  const trust = own.effective / (own.effective + kappa);
  // Both weights are sums of the same numbers in the same order.
  const complete = own.weight === around.all.weight;
  // A model seen on fewer neighbours leans more on its prior; this step puts it on the difficulty the others are at.
  const step = complete ? 0 : (around.trust - trust) / (1 - trust);
  const perWeight = own.weight > 0 ? 1 / own.weight : 0;
  // Levels of lengths are octaves: a step of them is a factor.
  const perLength = perWeight * 2 ** (around.all.length - own.length);
  const priorFactor = 2 ** (step * around.lengthGap);
  const { ability, abilityVariance, interactionVariance, lengthUnit } = set.columns;
  const { quality: qualities, stderr, effective, length } = result;
  for (let column = 0; column < width; column++) {
    const model = firstModel + column;
    let local = ((cells.quality[column] as number) / 255) * perWeight;
    if (!complete && perWeight > 0) local += easeStep(ability[model] as number, { own, all: around.all });
    const priorQuality = shiftOdds(prior.quality[model] as number, step * around.qualityGap);
    const quality = Math.min(1, Math.max(0, trust * local + (1 - trust) * priorQuality));
    const spread = Math.max(quality * (1 - quality), 0.01);
    const unseen = 1 - prior.resolutions * (prior.coverage[model] as number);
    const variance = (abilityVariance[model] as number) + interactionVariance * unseen;
    const priorError = (1 - trust) * spread;
    qualities[model] = quality;
    stderr[model] = Math.sqrt(spread / (own.effective + kappa) + priorError * priorError * variance);
    effective[model] = own.effective;
    const localLength = (cells.length[column] as number) * (lengthUnit[model] as number) * perLength;
    const priorLength = (prior.length[model] as number) * priorFactor;
    length[model] = Math.max(0, trust * localLength + (1 - trust) * priorLength - 1);
  }
}

/** How much better a model of this ability does on all neighbours than on its own. */
function easeStep(ability: number, { own, all }: { readonly own: Levels; readonly all: Levels }): number {
  return logistic(ability + all.quality) - logistic(ability + own.quality);
}

function logistic(logOdds: number): number {
  return 1 / (1 + Math.exp(-logOdds));
}

/** Moves a probability by a step of log-odds. */
function shiftOdds(probability: number, step: number): number {
  if (step === 0) return probability;
  const p = Math.min(0.999, Math.max(0.001, probability));
  return logistic(Math.log(p / (1 - p)) + step);
}
