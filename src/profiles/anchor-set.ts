import type { AnchorIndex } from "./anchor-index.js";
import type { Memberships } from "./memberships.js";
import type { ProfileSummary } from "./summary.js";

/**
 * One loaded anchor set: the prompts models were profiled on, and how each of its models did on them, laid out for the
 * decision's inner loops. Immutable. All `[a × b]` arrays are row-major.
 */
export interface AnchorSet {
  readonly name: string;
  readonly version: string;
  readonly embedderFingerprint: string;
  readonly index: AnchorIndex;
  /** The unit vector of an anchor, `[dimensions]`. */
  readonly vectorOf: (anchor: number) => Float32Array;
  /** Catalog ids; the column order of everything below. */
  readonly models: readonly string[];
  readonly summaries: readonly ProfileSummary[];
  readonly parameters: EvidenceParameters;
  /** How easy each anchor is for everybody (log-odds) and how long its answers are (log2), `[anchors]`. */
  readonly anchorLevels: { readonly quality: Float32Array; readonly length: Float32Array };
  /** Where each anchor's prompt is from: a place among the names, `[anchors]`. */
  readonly benchmarks: { readonly names: readonly string[]; readonly ofAnchor: Uint16Array };
  /** Mean tokens of each anchor's prompt, `[anchors]`. */
  readonly promptTokens: Float32Array;
  readonly prior: ClusterPrior;
  readonly columns: ModelColumns;
  readonly panels: readonly Panel[];
  readonly panelsOf: PanelsOfAnchors;
  readonly sums: ScoreSums;
}

/**
 * Weighted sums over the profiles: what of a decision's time grows with the number of models. Reads the tables and cells
 * as they are at the time of the call. What is returned are views that the next call of the same function overwrites, and
 * depends on nothing but the arguments. Sums are f32, rounded after each step.
 */
export interface ScoreSums {
  readonly kind: "simd" | "plain";
  /** `home` × the blend of the memberships' clusters + (1 − `home`) × the expectation over all anchors. */
  blendClusters(memberships: Memberships, home: number): ClusterBlend;
  /** @param weights of the anchors, in their order */
  sumNeighbours(anchors: Int32Array, weights: Float32Array): NeighbourSums;
}

export interface ClusterBlend {
  /** Expected quality in [0, 1] and log2 length, `[models]`. */
  readonly quality: Float32Array;
  readonly length: Float32Array;
  /**
   * Share of the first resolution's cells that rests on the model's own scores, × `home`; in [0, 1 / resolutions], as the
   * memberships of one resolution sum to that. `[models]`
   */
  readonly coverage: Float32Array;
}

export interface NeighbourSums {
  /** Σw, Σw², Σw·ease, Σw·length level of the neighbours each panel saw, and last of all, `[(panels + 1) × 4]`. */
  readonly levels: Float32Array;
  /** Σ w·cell in stored units, `[width]` a panel. */
  readonly panels: readonly { readonly quality: Float32Array; readonly length: Float32Array }[];
}

/** Tuned by leave-one-out when the set is built, stored in its manifest. */
export interface EvidenceParameters {
  /** Neighbours looked at. */
  readonly neighbours: number;
  /** Kernel width τ: weight = exp((similarity − best similarity) / τ). */
  readonly kernelWidth: number;
  /** κ: pseudo-observations of the prior against the neighbours' effective number. */
  readonly priorWeight: number;
  /** Similarity of the nearest anchor at and below which a prompt is foreign, and from which on it is at home. */
  readonly foreignSimilarity: number;
  readonly homeSimilarity: number;
  /** Correlation in [0, 1) of two models' residuals on the same prompts. */
  readonly pairedCorrelation: number;
}

/** Soft clusters at several resolutions, with what each model is expected to do in each. */
interface ClusterPrior {
  /** Cosine similarity of a vector to every centroid, `[clusters]`. */
  readonly similarities: (vector: Float32Array) => Float32Array;
  /** `start` (inclusive) of each resolution's clusters; the last entry is their total number. */
  readonly resolutionStarts: readonly number[];
  /** Mean level of the anchors in each cluster, `[clusters]`. */
  readonly levels: { readonly quality: Float32Array; readonly length: Float32Array };
  /** Expected quality in [0, 1], `[clusters × models]`. Read in place by `sums`, as are the two below. */
  readonly quality: Float32Array;
  /** Expected 1 + length, `[clusters × models]`. */
  readonly length: Float32Array;
  /** Share in [0, 1] of the cell that rests on the model's own scores there, `[first resolution's clusters × models]`. */
  readonly coverage: Float32Array;
  /** Expectation over all anchors, for prompts unlike any, `[models]`. */
  readonly overall: { readonly quality: Float32Array; readonly length: Float32Array };
  readonly overallLevel: { readonly quality: number; readonly length: number };
}

/** What a model's length column counts. */
export const LENGTH_UNKNOWN = 0;
export const LENGTH_TOKENS = 1;
export const LENGTH_COST = 2;

interface ModelColumns {
  /** Ability and its posterior variance on the log-odds scale, `[models]`. */
  readonly ability: Float32Array;
  readonly abilityVariance: Float32Array;
  /** Standard deviation of what a model does on a benchmark beyond its ability, log-odds. */
  readonly interactionVariance: number;
  /** `LENGTH_UNKNOWN`, `LENGTH_TOKENS` or `LENGTH_COST` (nano-dollars), `[models]`. */
  readonly lengthKind: Uint8Array;
  /** 1 + length that one stored step of a panel's length stands for, > 0, `[models]`. */
  readonly lengthUnit: Float32Array;
}

/** Models scored on exactly the same anchors: neighbouring columns, one dense block. */
export interface Panel {
  readonly firstModel: number;
  readonly width: number;
  /** Quality × 255, `[rows × width]`. */
  readonly quality: Uint8Array;
  /** 1 + length in steps of the model's `lengthUnit`, `[rows × width]`. */
  readonly length: Uint16Array;
}

/** Which panels saw an anchor: entries `start[anchor] … start[anchor + 1] − 1` of `panel` and `row`. */
interface PanelsOfAnchors {
  readonly start: Uint32Array;
  readonly panel: Uint16Array;
  readonly row: Uint32Array;
}
