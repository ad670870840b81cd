import type { AnchorSet } from "../profiles/anchor-set.js";
import type { ProfileSummary } from "../profiles/summary.js";

/** A gain over the model that is best overall that is as often none as real (docs/decisions/0003-estimator.md). */
export const UNCERTAIN_GAIN = 0.015;
/** What is left of an uncertain gain: enough to keep the order, too little to win. */
const REST = 1e-3;

/**
 * The highest of many estimates is too high by being the highest (the winner's curse). What a model is expected to gain over
 * the one that is best overall is therefore lowered by `UNCERTAIN_GAIN`, and a gain below that is none: such models come
 * right after the best overall, in their order. Models that are expected to be worse keep their quality.
 *
 * @param quality expected, in [0, 1] @param best expected of the model that is best overall
 */
export function withoutUncertainGain(quality: number, best: number): number {
  const gain = quality - best - UNCERTAIN_GAIN;
  if (!(quality > best)) return quality;
  return best + (gain < 0 ? gain * REST : gain);
}

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

/** Place of the candidate that would be taken if nothing were known of the prompt; of equal ones the first by id. */
export function placeOfBestOverall(
  candidates: readonly { readonly model: string; readonly overallQuality: number }[],
): number {
  let best = 0;
  for (let place = 1; place < candidates.length; place++) {
    const [each, held] = [candidates[place], candidates[best]];
    if (each === undefined || held === undefined) continue;
    if (each.overallQuality > held.overallQuality) best = place;
    else if (each.overallQuality === held.overallQuality && each.model < held.model) best = place;
  }
  return best;
}
