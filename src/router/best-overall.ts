import type { AnchorSet } from "../profiles/anchor-set.js";
import type { ProfileSummary } from "../profiles/summary.js";

/**
 * The highest of many estimates is too high (the winner's curse): a gain over the model that is best overall is as often
 * none while it is below this. Asking for it costs nothing on prompts of the profiled kinds, halves what is lost on
 * benchmarks that were not profiled, and keeps choices from flipping at a typo (docs/decisions/0003-estimator.md).
 */
export const LEAD_OF_BEST_OVERALL = 0.015;

/** Expected quality over all profiled prompts, in [0, 1]: the mean over the model's sets, each as large as its samples. */
export function overallQuality(
  sets: readonly AnchorSet[],
  places: readonly { readonly set: number; readonly column: number }[],
): number {
  let sum = 0;
  let samples = 0;
  for (const { set: number, column } of places) {
    const { summaries, prior } = sets[number] as AnchorSet;
    const weight = Math.max(1, (summaries[column] as ProfileSummary).samples);
    sum += weight * (prior.overall.quality[column] as number);
    samples += weight;
  }
  return sum / samples;
}

/** The candidate that would be taken if nothing were known of the prompt; of equal ones the first by id. */
export function bestOverall<Each extends { readonly model: string; readonly overallQuality: number }>(
  candidates: readonly Each[],
): Each | undefined {
  let best: Each | undefined;
  for (const each of candidates) {
    if (best === undefined || each.overallQuality > best.overallQuality) best = each;
    else if (each.overallQuality === best.overallQuality && each.model < best.model) best = each;
  }
  return best;
}
