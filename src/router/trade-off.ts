/** How a decision weighs cost against quality: what a cost weight means on the loaded profiles. */
export interface TradeOff {
  /** What was asked for, in [0, 1]. */
  readonly costWeight: number;
  /** w of `(1 − w)·quality − w·cost / unitUsd`, in [0, 1). Never falls as `costWeight` grows. */
  readonly costShare: number;
  /** Dollars that weigh as much as one unit of quality at w = 1/2; > 0. */
  readonly unitUsd: number;
  /** Standard errors within which a cheaper model counts as equal; 0 at weight 0, never falls. */
  readonly noiseMultiple: number;
}
