import type { Basis } from "../estimation/basis.js";

/** A candidate as named in a decision. */
export interface Estimated {
  /** Unique among the candidates of a decision. */
  readonly model: string;
  /** The effort of reasoning that it is asked for; null for the model's default, and where it has no choice. */
  readonly effort: string | null;
  readonly provider: string | null;
  readonly basis: Basis;
}

/** Estimates for the candidates of a request: one entry each, in the order of `candidates`. */
export interface Estimates {
  readonly candidates: readonly Estimated[];
  /** In [0, 1]; NaN never wins. */
  readonly quality: Float64Array;
  /** Standard error of `quality`, > 0. */
  readonly stderr: Float64Array;
  /** ≥ 0, or infinite when no price is known. */
  readonly costUsd: Float64Array;
  /** 90th percentile of the cost, as `costUsd`. */
  readonly highCostUsd: Float64Array;
  /** Expected length of the answer, hidden reasoning included, by the profile and corrected by observed answers. */
  readonly profiledTokens: Float64Array;
  readonly expectedTokens: Float64Array;
  /** Hidden reasoning among `expectedTokens`. */
  readonly reasoningTokens: Float64Array;
  /** Effective number of scored neighbours. */
  readonly effective: Float64Array;
}

/** All zeros. */
export function allocateEstimates(candidates: readonly Estimated[]): Estimates {
  const count = candidates.length;
  return {
    candidates,
    quality: new Float64Array(count),
    stderr: new Float64Array(count),
    costUsd: new Float64Array(count),
    highCostUsd: new Float64Array(count),
    profiledTokens: new Float64Array(count),
    expectedTokens: new Float64Array(count),
    reasoningTokens: new Float64Array(count),
    effective: new Float64Array(count),
  };
}

/** By lower cost (an unknown one is the highest), then model id: ≤ 0 when entry `a` comes first. */
export function byCost({ costUsd, candidates }: Estimates, a: number, b: number): number {
  const [costA, costB] = [costUsd[a] as number, costUsd[b] as number];
  if (costA !== costB) return costA < costB ? -1 : 1;
  const [modelA, modelB] = [candidates[a]?.model ?? "", candidates[b]?.model ?? ""];
  return modelA < modelB ? -1 : modelA > modelB ? 1 : 0;
}
