/** Lets a share of the requests go to other models than the decided one, so that their quality can be learned. */
export interface Exploration {
  /** Share of the requests, in [0, 1]. */
  readonly share: number;
  /** Highest expected cost of a model that is tried, in multiples of the decided model's; ≥ 1. */
  readonly maxCostRatio: number;
  /** Drawn uniformly from [0, 1) for each request. */
  readonly draw: number;
}

/** What exploration did to a decision. */
export interface Explored {
  /** True when the selected model was drawn at random. */
  readonly explored: boolean;
  /** Probability in (0, 1] with which the selected model was selected for this prompt (its propensity). */
  readonly probability: number;
  /** The model that the decision prefers: the selected one unless `explored`. */
  readonly preferredModel: string;
}
