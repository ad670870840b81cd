import type { Neighbours } from "../profiles/anchor-index.js";
import type { AnchorSet, EvidenceParameters, Panel } from "../profiles/anchor-set.js";
import { LENGTH_SCALE } from "../profiles/anchor-set.js";
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

interface Prior {
  readonly quality: Float64Array;
  readonly length: Float64Array;
  readonly coverage: Float64Array;
  readonly qualityLevel: number;
  readonly lengthLevel: number;
}

export function gatherEvidence(set: AnchorSet, vector: Float32Array, neighbours: Neighbours): Evidence {
  const nearestSimilarity = neighbours.similarities[0] ?? 0;
  const home = homeliness(nearestSimilarity, set.parameters);
  const prior = clusterPrior(set, vector, home);
  return combine(set, { neighbours, prior, home, nearestSimilarity });
}

/** 0 for a prompt unlike any anchor, 1 for one at home among them. */
function homeliness(nearestSimilarity: number, parameters: EvidenceParameters): number {
  const span = parameters.homeSimilarity - parameters.foreignSimilarity;
  const position = span > 0 ? (nearestSimilarity - parameters.foreignSimilarity) / span : 1;
  return Math.min(1, Math.max(0, position));
}

function clusterPrior(set: AnchorSet, vector: Float32Array, home: number): Prior {
  const { prior } = set;
  const models = set.models.length;
  const quality = new Float64Array(models);
  const length = new Float64Array(models);
  const coverage = new Float64Array(models);
  for (let model = 0; model < models; model++) {
    quality[model] = (1 - home) * (prior.overall.quality[model] as number);
    length[model] = (1 - home) * (prior.overall.length[model] as number);
  }
  let qualityLevel = (1 - home) * prior.overallLevel.quality;
  let lengthLevel = (1 - home) * prior.overallLevel.length;
  const { cluster, weight } = clusterMemberships(prior.similarities(vector), prior.resolutionStarts);
  const coarseEnd = prior.resolutionStarts[1] ?? 0;
  const resolutions = prior.resolutionStarts.length - 1;
  for (let entry = 0; entry < cluster.length; entry++) {
    const row = (cluster[entry] as number) * models;
    const share = home * (weight[entry] as number);
    addRow(quality, prior.quality, row, share);
    addRow(length, prior.length, row, share);
    if ((cluster[entry] as number) < coarseEnd) addRow(coverage, prior.coverage, row, share * resolutions);
    qualityLevel += share * (prior.levels.quality[cluster[entry] as number] as number);
    lengthLevel += share * (prior.levels.length[cluster[entry] as number] as number);
  }
  return { quality, length, coverage, qualityLevel, lengthLevel };
}

function addRow(into: Float64Array, table: Float32Array, row: number, share: number): void {
  for (let column = 0; column < into.length; column++)
    into[column] = (into[column] as number) + share * (table[row + column] as number);
}

/** Kernel sums over the neighbours, per panel and per model. */
interface LocalSums {
  /** Σ w, Σ w², Σ w·level of the neighbours each panel saw, `[panels]`. */
  readonly weight: Float64Array;
  readonly squares: Float64Array;
  readonly qualityLevel: Float64Array;
  readonly lengthLevel: Float64Array;
  /** Σ w·value, `[models]`, in stored units. */
  readonly quality: Float64Array;
  readonly length: Float64Array;
  /** The same over all neighbours. */
  readonly totalWeight: number;
  readonly totalSquares: number;
  readonly totalQualityLevel: number;
  readonly totalLengthLevel: number;
}

function sumNeighbours(set: AnchorSet, neighbours: Neighbours): LocalSums {
  const panelCount = set.panels.length;
  const weight = new Float64Array(panelCount);
  const squares = new Float64Array(panelCount);
  const qualityLevel = new Float64Array(panelCount);
  const lengthLevel = new Float64Array(panelCount);
  const quality = new Float64Array(set.models.length);
  const length = new Float64Array(set.models.length);
  const { anchors, similarities } = neighbours;
  const { start, panel: panelOf, row: rowOf } = set.panelsOf;
  const best = similarities[0] ?? 0;
  let totalWeight = 0;
  let totalSquares = 0;
  let totalQualityLevel = 0;
  let totalLengthLevel = 0;
  for (let entry = 0; entry < anchors.length; entry++) {
    const anchor = anchors[entry] as number;
    const w = Math.exp(((similarities[entry] as number) - best) / set.parameters.kernelWidth);
    const anchorQuality = w * (set.anchorLevels.quality[anchor] as number);
    const anchorLength = w * (set.anchorLevels.length[anchor] as number);
    totalWeight += w;
    totalSquares += w * w;
    totalQualityLevel += anchorQuality;
    totalLengthLevel += anchorLength;
    const end = start[anchor + 1] as number;
    for (let seen = start[anchor] as number; seen < end; seen++) {
      const p = panelOf[seen] as number;
      const panel = set.panels[p];
      if (panel === undefined) continue;
      weight[p] = (weight[p] as number) + w;
      squares[p] = (squares[p] as number) + w * w;
      qualityLevel[p] = (qualityLevel[p] as number) + anchorQuality;
      lengthLevel[p] = (lengthLevel[p] as number) + anchorLength;
      addCells(panel, { row: rowOf[seen] as number, w, quality, length });
    }
  }
  return {
    weight,
    squares,
    qualityLevel,
    lengthLevel,
    quality,
    length,
    totalWeight,
    totalSquares,
    totalQualityLevel,
    totalLengthLevel,
  };
}

/** Adds one anchor's cells of a panel, times w. The loop most of the scoring time is spent in. */
function addCells(
  panel: Panel,
  at: {
    readonly row: number;
    readonly w: number;
    readonly quality: Float64Array;
    readonly length: Float64Array;
  },
): void {
  const { width, firstModel, quality: cells, length: lengths } = panel;
  const { w, quality, length } = at;
  const base = at.row * width;
  for (let column = 0; column < width; column++) {
    const model = firstModel + column;
    quality[model] = (quality[model] as number) + w * (cells[base + column] as number);
    length[model] = (length[model] as number) + w * (lengths[base + column] as number);
  }
}

interface Parts {
  readonly neighbours: Neighbours;
  readonly prior: Prior;
  readonly home: number;
  readonly nearestSimilarity: number;
}

function combine(set: AnchorSet, { neighbours, prior, home, nearestSimilarity }: Parts): Evidence {
  const sums = sumNeighbours(set, neighbours);
  const models = set.models.length;
  const result = {
    quality: new Float64Array(models),
    stderr: new Float64Array(models),
    effective: new Float64Array(models),
    length: new Float64Array(models),
    nearestSimilarity,
  };
  const kappa = set.parameters.priorWeight * FOREIGN_PRIOR_FACTOR ** (1 - home);
  const around = neighbourhood(sums, { prior, kappa });
  for (let p = 0; p < set.panels.length; p++) combinePanel(set, { p, sums, prior, kappa, around, result });
  return result;
}

/** The neighbourhood as a whole: how much easier and longer it is than its clusters, and how far it is trusted. */
interface Neighbourhood {
  readonly trust: number;
  /** Mean level of all neighbours minus the prior's level. */
  readonly qualityGap: number;
  readonly lengthGap: number;
}

function neighbourhood(
  sums: LocalSums,
  { prior, kappa }: { readonly prior: Prior; readonly kappa: number },
): Neighbourhood {
  if (sums.totalWeight === 0) return { trust: 0, qualityGap: 0, lengthGap: 0 };
  const effective = sums.totalWeight ** 2 / sums.totalSquares;
  return {
    trust: effective / (effective + kappa),
    qualityGap: sums.totalQualityLevel / sums.totalWeight - prior.qualityLevel,
    lengthGap: sums.totalLengthLevel / sums.totalWeight - prior.lengthLevel,
  };
}

interface PanelParts {
  readonly p: number;
  readonly sums: LocalSums;
  readonly prior: Prior;
  readonly kappa: number;
  readonly around: Neighbourhood;
  readonly result: {
    readonly quality: Float64Array;
    readonly stderr: Float64Array;
    readonly effective: Float64Array;
    readonly length: Float64Array;
  };
}

function combinePanel(set: AnchorSet, { p, sums, prior, kappa, around, result }: PanelParts): void {
  const panel = set.panels[p];
  if (panel === undefined) return;
  const w = sums.weight[p] as number;
  const n = w > 0 ? w ** 2 / (sums.squares[p] as number) : 0;
  const trust = n / (n + kappa);
  const complete = sums.totalWeight - w <= 1e-9 * sums.totalWeight;
  // A model seen on fewer neighbours leans more on its prior; this step puts it on the difficulty the others are at.
  const step = complete ? 0 : (around.trust - trust) / (1 - trust);
  const meanLevel = sums.totalQualityLevel / sums.totalWeight;
  const panelLevel = w > 0 ? (sums.qualityLevel[p] as number) / w : 0;
  const lengthGap =
    w > 0 ? sums.totalLengthLevel / sums.totalWeight - (sums.lengthLevel[p] as number) / w : 0;
  const { ability, abilityVariance, interactionVariance, lengthSmear } = set.columns;
  for (let model = panel.firstModel; model < panel.firstModel + panel.width; model++) {
    const skill = ability[model] as number;
    const priorQuality = shiftOdds(prior.quality[model] as number, step * around.qualityGap);
    let local = 0;
    if (n > 0) {
      local = (sums.quality[model] as number) / (255 * w);
      if (!complete) local += logistic(skill + meanLevel) - logistic(skill + panelLevel);
    }
    const quality = Math.min(1, Math.max(0, trust * local + (1 - trust) * priorQuality));
    const spread = Math.max(quality * (1 - quality), 0.01);
    const unseen =
      (abilityVariance[model] as number) + interactionVariance * (1 - (prior.coverage[model] as number));
    result.quality[model] = quality;
    result.effective[model] = n;
    result.stderr[model] = Math.sqrt(spread / (n + kappa) + (1 - trust) ** 2 * spread ** 2 * unseen);
    const localLength = n > 0 ? (sums.length[model] as number) / (LENGTH_SCALE * w) + lengthGap : 0;
    const priorLength = (prior.length[model] as number) + step * around.lengthGap;
    const log2Length = trust * localLength + (1 - trust) * priorLength;
    result.length[model] = Math.max(0, (lengthSmear[model] as number) * Math.exp(log2Length * Math.LN2) - 1);
  }
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
