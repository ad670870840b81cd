import type { Basis } from "../estimation/basis.js";

/** A candidate as named in a decision. */
export interface Estimated {
  /** Unique among the candidates of a decision. */
  readonly model: string;
  /** The effort of reasoning that it is asked for; null for the model's default, and where it has no choice. */
  readonly effort: string | null;
  readonly provider: string | null;
  readonly basis: Basis;
  /** Share of its calls that are answered, as expected; part of the expected quality. Absent where failures were not counted. */
  readonly successProbability?: number | undefined;
}

/** Estimates for the candidates of a request: one entry each, in the order of `candidates`. */
export interface Estimates {
  readonly candidates: readonly Estimated[];
  /** In [0, 1]; NaN never wins. */
  readonly quality: Float64Array;
  /** Standard error of `quality`, > 0, and the part of it that the candidates do not share. */
  readonly stderr: Float64Array;
  readonly ownError: Float64Array;
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
  /** Milliseconds of an answer, as the request asks; NaN where not measured. Absent where it asks for no time. */
  readonly expectedMs?: Float64Array;
}

/** All zeros, in one buffer: one for each would take two microseconds more. */
export function allocateEstimates(candidates: readonly Estimated[]): Estimates {
  const count = candidates.length;
  const buffer = new ArrayBuffer(9 * count * Float64Array.BYTES_PER_ELEMENT);
  const column = (slot: number): Float64Array =>
    new Float64Array(buffer, slot * count * Float64Array.BYTES_PER_ELEMENT, count);
  return {
    candidates,
    quality: column(0),
    stderr: column(1),
    costUsd: column(2),
    highCostUsd: column(3),
    profiledTokens: column(4),
    expectedTokens: column(5),
    reasoningTokens: column(6),
    effective: column(7),
    ownError: column(8),
  };
}

/** By lower cost (an unknown one is the highest), then higher quality, then model id: ≤ 0 when entry `a` comes first. */
export function byCost({ costUsd, quality, candidates }: Estimates, a: number, b: number): number {
  const [costA, costB] = [costUsd[a] as number, costUsd[b] as number];
  if (costA !== costB) return costA < costB ? -1 : 1;
  const [qualityA, qualityB] = [quality[a] as number, quality[b] as number];
  if (qualityA !== qualityB) return qualityA > qualityB ? -1 : 1;
  const [modelA, modelB] = [candidates[a]?.model ?? "", candidates[b]?.model ?? ""];
  return modelA < modelB ? -1 : modelA > modelB ? 1 : 0;
}
