import type { AnchorIndex } from "../search/anchor-index.js";
import type { TokenPrice } from "./bills.js";
import type { ModelService } from "./model-service.js";
import type { ProfileSummary } from "./profile-summary.js";
import type { RelativeColumn } from "./relatives.js";

/**
 * One loaded anchor set: the profiled prompts, and every model's measured or expected quality and length on them, in
 * the layout that a decision's inner loops read. Immutable. All `[a × b]` arrays are row-major.
 */
export interface AnchorSet {
  readonly name: string;
  readonly version: string;
  readonly index: AnchorIndex;
  /** The unit vector of an anchor, `[dimensions]`. */
  readonly vectorOf: (anchor: number) => Float32Array;
  /** Catalog ids; the column order of everything below. */
  readonly models: readonly string[];
  /** `served`: any model that somebody serves may be chosen, at any of its efforts; `all`: those that the set was built with. */
  readonly candidates: "all" | "served";
  /** Models of the set that were not loaded, because they cannot be called. */
  readonly leftOut: readonly string[];
  readonly summaries: readonly ProfileSummary[];
  readonly parameters: EvidenceParameters;
  /** How far bills differ from prompt to prompt as their neighbours' do, in [0, 1]: the slope of leaving one out. */
  readonly billSlope: number;
  /** Standard deviation of the logarithm of a bill about its expectation, in distribution. */
  readonly billSpread: number;
  /** How easy each anchor is: log-odds of the average model to solve it, `[anchors]`. */
  readonly anchorEase: Float32Array;
  readonly answerLevels: AnswerLevels;
  /** Where each anchor's prompt is from: an index into the names, `[anchors]`. */
  readonly benchmarks: { readonly names: readonly string[]; readonly ofAnchor: Uint16Array };
  /**
   * Source number of each anchor, `[anchors]`; the number of sources; and for each source the similarity of its
   * anchors: undefined where it carries no information, absent in sets built before it was measured.
   */
  readonly sources: {
    readonly count: number;
    readonly ofAnchor: Uint16Array;
    readonly similarity?: readonly (SourceSimilarity | undefined)[];
  };
  /** Dollars that a task of an agent costs a model at a middle price of $1 and 1,000 hidden tokens (`usualAgentUsd`); NaN without bills of agents. */
  readonly agentUsd: number;
  /** Topic of each anchor: an index into the names, `[anchors]`. */
  readonly topics: { readonly names: readonly string[]; readonly ofAnchor: Uint16Array };
  /** Difficulty of each anchor's prompt in tiers from 0 to 4, `[anchors]`, and the line from difficulty to ease. */
  readonly difficulty: DifficultyScale | null;
  /** Mean tokens of each anchor's prompt, `[anchors]`. */
  readonly promptTokens: Float32Array;
  readonly prior: TablePrior;
  readonly columns: ModelColumns;
  /** Models with few answers of their own; one that is another's relative precedes it. */
  readonly relatives: readonly RelativeColumn[];
  /** Models that no evidence shows to be worse than the one before them, whose own predecessor precedes it in the list. */
  readonly successors: readonly { readonly column: number; readonly predecessor: number }[];
  /** Mean cost of a request in dollars at each step of the cost weight (`MEAN_COST_STEPS`), as of the build; null where not measured. */
  readonly meanCosts: readonly number[] | null;
  /** The models that were scored on an anchor, by column. */
  readonly scoresOn: (anchor: number) => readonly MeasuredScore[];
  readonly sums: ScoreSums;
}

export interface MeasuredScore {
  readonly column: number;
  /** In [0, 1]. */
  readonly quality: number;
}

/**
 * Weighted sums over the profiles: the part of a decision whose time grows with the number of models. Reads tables and
 * cells as they are at the time of the call. Returns views that the next call of the same function overwrites. The
 * result depends on the arguments alone. Sums are f32, rounded after each step.
 */
export interface ScoreSums {
  /** `inDistribution` × the blend of the topics + (1 − `inDistribution`) × the expectation over all topics. */
  blendTopics(topics: WeightedTopics, inDistribution: number): TopicBlend;
  /** @param weights of the anchors, in their order */
  sumNeighbours(anchors: Int32Array, weights: Float32Array): NeighbourSums;
}

/** Topics, and weights that sum to 1. */
export interface WeightedTopics {
  readonly topic: Uint16Array;
  readonly weight: Float64Array;
  /** Entries in use. */
  readonly count: number;
}

export interface TopicBlend {
  /** Expected quality in [0, 1] and 1 + length, `[models]`. */
  readonly quality: Float32Array;
  readonly length: Float32Array;
  /** Weighted share of the topics' anchors that the model was scored on, in [0, 1], `[models]`. */
  readonly coverage: Float32Array;
}

/** Σ w·cell in stored units, `[models]`. */
export interface NeighbourSums {
  readonly quality: Float32Array;
  readonly length: Float32Array;
}

/** How similar the anchors of one source are to each other. */
export interface SourceSimilarity {
  /** Cosine similarity of an anchor to the nearest other anchor of its source: a low quantile (`least`) and a usual value. */
  readonly least: number;
  readonly usual: number;
  /** Number of nearest anchors among which those of the same source are the majority; ≥ 1. */
  readonly neighbours: number;
}

/** Tuned by leave-one-out when the set is built, stored in its manifest. */
export interface EvidenceParameters {
  /** Number of nearest anchors used. */
  readonly neighbours: number;
  /** Kernel width τ: weight = exp((similarity − best similarity) / τ). */
  readonly kernelWidth: number;
  /** κ: pseudo-observations of the prior against the neighbours' effective number. */
  readonly priorWeight: number;
  /**
   * Similarity of the nearest anchor at and below which a prompt is out-of-distribution, and from which on it is
   * in-distribution.
   */
  readonly outOfDistributionSimilarity: number;
  readonly inDistributionSimilarity: number;
  /** Similarity of the nearest anchor from which on the prompt's ease is that of its neighbours, whatever its difficulty. */
  readonly nearSimilarity: number;
  /** Correlation in [0, 1) of two models' residuals on the same prompts. */
  readonly pairedCorrelation: number;
  /** Variance of the ease of a prompt (log-odds) about that of its neighbours, ≥ 0. */
  readonly nearEaseVariance: number;
}

/** Expected quality and length of each model on each topic. */
interface TablePrior {
  /** Expected quality in [0, 1], `[topics × models]`. Read in place by `sums`, as are the two below. */
  readonly quality: Float32Array;
  /** Expected 1 + length, `[topics × models]`. */
  readonly length: Float32Array;
  /** Share in [0, 1] of the topic's anchors that the model was scored on, `[topics × models]`. */
  readonly coverage: Float32Array;
  /** Expectation on a prompt of mean ease over all topics, for out-of-distribution prompts, `[models]`. */
  readonly overall: { readonly quality: Float32Array; readonly length: Float32Array };
  /** Mean ease of the topics' anchors, log-odds. */
  readonly overallEase: number;
}

/** `ease = intercept + slope · difficulty + level of the kind of prompt + residual`, on the log-odds scale of the anchors' ease. */
interface DifficultyScale {
  readonly intercept: number;
  /** ≤ 0. */
  readonly slope: number;
  /** Variance of the levels of kinds of prompts, and of the residuals within a kind. */
  readonly betweenVariance: number;
  readonly withinVariance: number;
  /** `[anchors]` */
  readonly ofAnchor: Float32Array;
}

/** How the lengths of answers differ from what the texts of their prompts let expect. */
export interface AnswerLevels {
  /** Mean length in tokens that each anchor's text lets expect, `[anchors]`; null in a set built without a model of answer lengths. */
  readonly expectedTokens: Float32Array | null;
  /** log2 of the ratio of the measured lengths to it, NaN where none was measured, `[anchors]`. */
  readonly ofAnchor: Float32Array;
  /** What all sources of the set have in common of it. */
  readonly overall: number;
}

/** What the measured bills of a model are ratios to. */
export interface ModelBills {
  readonly price: TokenPrice;
  /** Whether `price` is the model's list price; else it is the reference price. */
  readonly isListed: boolean;
  /** Whether dollars were recorded; else the bills follow from tokens, if those were. */
  readonly isPaid: boolean;
  /** Whether dollars or tokens were recorded; else the bills are those that the text and the model let expect. */
  readonly isMeasured: boolean;
  /** What a task of an agent cost, in tokens at the middle of its prices (`middlePrice`); NaN where unknown. */
  readonly agentTokens: number;
}

interface ModelColumns {
  /**
   * Variance of a model's skill on a topic, log-odds: where it was scored, and where it is placed from other evidence;
   * `[models]`.
   */
  readonly measuredVariance: Float32Array;
  readonly placedVariance: Float32Array;
  /** What one stored step of a cell adds to 1 + the code of a bill's ratio, > 0, `[models]`. */
  readonly billUnit: Float32Array;
  /** Factor on the visible length of answers, `[models]`. */
  readonly verbosity: Float32Array;
  /** Hidden reasoning tokens on a prompt of medium difficulty, `[models]`. */
  readonly thinkingTokens: Float32Array;
  /** What the bills of each model are ratios to, `[models]`. */
  readonly bills: readonly ModelBills[];
  /** How each model was served, `[models]`; undefined where it was not measured. */
  readonly services: readonly (ModelService | undefined)[];
  /** Probability that a call is answered, in (0, 1], `[models]`; 1 where no failures were counted. */
  readonly success: Float64Array;
}
