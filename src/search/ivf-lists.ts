/**
 * An inverted file (IVF): the anchors of one set partitioned into lists around centroids, so that a search scans the lists near
 * the query and no others (docs/decisions/0002-nearest-neighbours.md). Holds no vectors; the set's own codes supply them.
 */
export interface IvfLists {
  /** List of each anchor, `[anchors]`. A list may be empty. */
  readonly listOf: Uint16Array;
  /**
   * Mean of each list's anchors, not normalised: the more the anchors of a list differ, the shorter its centroid. int8
   * `[lists × dimensions]` and f32 `[lists]`.
   */
  readonly centroids: { readonly codes: Int8Array; readonly scales: Float32Array };
  readonly probeBound: ProbeBound;
}

/**
 * How many deviations above its expected similarity a list is assumed to hold anchors (see `ListBounds`), measured for queries
 * among the anchors and for queries unlike any. Interpolated by the similarity of the nearest anchor found so far.
 */
export interface ProbeBound {
  readonly inDistribution: ProbeBoundPoint;
  readonly outOfDistribution: ProbeBoundPoint;
}

export interface ProbeBoundPoint {
  /** Median similarity of such queries to their nearest anchor. */
  readonly similarity: number;
  /** > 0 */
  readonly deviations: number;
}
