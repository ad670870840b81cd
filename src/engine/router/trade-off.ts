/** How a decision trades quality for cost: the meaning of a cost weight on the loaded profiles. */
export interface TradeOff {
  /** The requested weight, in [0, 1]. */
  readonly costWeight: number;
  /** w of `(1 − w)·quality − w·cost / unitUsd`, in [0, 1). Never falls as `costWeight` grows. */
  readonly costShare: number;
  /** Dollars equivalent to one unit of quality at w = 1/2; > 0. */
  readonly unitUsd: number;
}

/** The score that decides: `(1 − w)·quality − w·cost / unitUsd`. An infinite cost is ignored only at w = 0. */
export function costAdjustedScore(
  { costShare, unitUsd }: TradeOff,
  { quality, costUsd }: { readonly quality: number; readonly costUsd: number },
): number {
  const cost = costShare === 0 ? 0 : costShare * (costUsd / unitUsd);
  return (1 - costShare) * quality - cost;
}
