import type { Basis } from "../estimation/basis.js";

/** A candidate as named in a decision. */
export interface Estimated {
  /** Unique among the candidates of a decision. */
  readonly model: string;
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
  /** Expected length of the answer, by the profile and corrected by observed answers; NaN when only costs are known. */
  readonly profiledTokens: Float64Array;
  readonly expectedTokens: Float64Array;
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
    profiledTokens: new Float64Array(count),
    expectedTokens: new Float64Array(count),
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

/**
 * Standard error of the difference of two models' qualities on the same prompt; at most that of the second, so that a
 * model with little evidence is not preferred for its large standard error.
 */
export function pairedStderr(
  first: number,
  second: number,
  { pairedCorrelation }: { readonly pairedCorrelation: number },
): number {
  const variance = first * first + second * second - 2 * pairedCorrelation * first * second;
  return Math.min(Math.sqrt(Math.max(variance, 0)), second);
}

/** Indexes of the Pareto frontier, by increasing cost; the last has the highest quality. */
export function paretoFrontier(estimates: Estimates): number[] {
  const { quality } = estimates;
  const frontier: number[] = [];
  for (let reached = Number.NEGATIVE_INFINITY; ; ) {
    let next = -1;
    for (let entry = 0; entry < quality.length; entry++) {
      if ((quality[entry] as number) > reached && (next < 0 || isBetterBuy(estimates, entry, next)))
        next = entry;
    }
    if (next < 0) return frontier;
    frontier.push(next);
    reached = quality[next] as number;
  }
}

/** Whether an entry costs less than another, or the same with a higher quality. */
function isBetterBuy(estimates: Estimates, entry: number, other: number): boolean {
  const { costUsd, quality } = estimates;
  const saved = (costUsd[other] as number) - (costUsd[entry] as number);
  if (saved !== 0 && !Number.isNaN(saved)) return saved > 0;
  const gained = (quality[entry] as number) - (quality[other] as number);
  return gained > 0 || (gained === 0 && byCost(estimates, entry, other) < 0);
}
