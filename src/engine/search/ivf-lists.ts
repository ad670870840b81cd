/**
 * An inverted file (IVF): the anchors of one set partitioned into lists around centroids, so that a search scans only
 * the lists near the query (docs/decisions/0002-nearest-neighbours.md). Contains no vectors; the set's own codes are
 * used.
 */
export interface IvfLists {
  /** List of each anchor, `[anchors]`. A list may be empty. */
  readonly listOf: Uint16Array;
  /**
   * Mean of each list's anchors, not normalised: its norm decreases as the anchors of the list differ. int8 `[lists ×
   * dimensions]` and f32 `[lists]`.
   */
  readonly centroids: { readonly codes: Int8Array; readonly scales: Float32Array };
  readonly probeBound: ProbeBound;
}

/**
 * Number of deviations above its expected similarity up to which a list is assumed to contain anchors (see
 * `ListBounds`), measured for in-distribution and for out-of-distribution queries, and interpolated by the similarity
 * of the nearest anchor found so far.
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
