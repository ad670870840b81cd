/** The link of item-response theory: log-odds and expected scores. */
export const logisticLink = {
  /** Log-odds → expected score. */
  mean: (logOdds: number): number => 1 / (1 + Math.exp(-logOdds)),
  /** Expected score → Fisher information of one observation. */
  weight: (mean: number): number => Math.max(mean * (1 - mean), 1e-4),
  /** Mean score → log-odds to start a fit from. */
  start: (mean: number): number => Math.log((mean + 0.01) / (1.01 - mean)),
};
