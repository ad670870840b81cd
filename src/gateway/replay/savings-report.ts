import type { Estimate } from "../../foundation/bootstrap.js";

/** Decisions against always using something else, by what the decisions expected. */
export interface SavingsAgainst {
  /** Decided requests of the sample for which both costs are known; the next four figures are of these. */
  readonly requests: number;
  /** What the other would have cost, and what was decided. */
  readonly costUsd: number;
  readonly decidedCostUsd: number;
  /** Means of the expected quality. */
  readonly quality: number;
  readonly decidedQuality: number;
  /** Of all requests that match: the interval is of the sample alone, not of what the expectations are off. */
  readonly savedUsd: Estimate;
}

export interface SavingsReport {
  /** Requests of the sample that were decided and executed. */
  readonly decided: number;
  /** Against the candidate with the highest expected quality, request by request; null without one. */
  readonly best: SavingsAgainst | null;
  /** Against always one model, the highest quality first. */
  readonly models: readonly (SavingsAgainst & { readonly model: string })[];
}
