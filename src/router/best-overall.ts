import type { AnchorSet } from "../estimation/anchor-set.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";

/** A gain over the model that is best overall that is as often none as real (docs/decisions/0003-estimator.md). */
export const UNCERTAIN_GAIN = 0.015;
/** What is left of an uncertain gain: enough to keep the order, too little to win. */
const REST = 1e-3;

/**
 * Standard errors that count as gain by luck for a model of which a few graded answers, or none, are all that is known: of its
 * standard error, the part that the best overall does not have (guess; ten perfect answers must not beat 150 of which 90 % are right).
 */
const STDERRS_OF_LUCK = 0.35;
/** Fewer graded answers than this are a few. */
const FEW_ANSWERS = 30;

/** Whether a few graded answers, or none, are all that is known of a model: no published score says what they are worth. */
export const restsOnLittle = ({
  published,
  samples,
}: Pick<ProfileSummary, "published" | "samples">): boolean => published.length === 0 && samples < FEW_ANSWERS;

interface Expected {
  /** In [0, 1]. */
  readonly quality: number;
  readonly stderr: number;
  readonly restsOnLittle: boolean;
}

/**
 * The highest of many estimates is too high by being the highest (the winner's curse). What a model is expected to gain over
 * the one that is best overall is therefore lowered by `UNCERTAIN_GAIN`, or by more where it rests on little, and a gain
 * below that is none: such models come right after the best overall, in their order. Models that are expected to be worse keep
 * their quality.
 */
export function withoutUncertainGain(model: Expected, best: Omit<Expected, "restsOnLittle">): number {
  const { quality, stderr } = model;
  if (!(quality > best.quality)) return quality;
  const ignorance = model.restsOnLittle ? Math.sqrt(Math.max(0, stderr ** 2 - best.stderr ** 2)) : 0;
  const gain = quality - best.quality - Math.max(UNCERTAIN_GAIN, STDERRS_OF_LUCK * ignorance);
  return best.quality + (gain < 0 ? gain * REST : gain);
}

/**
 * Quality over all topics that a model is expected to reach at least, one standard error below what is expected of it, so
 * that a model of which little is known is not the one that others are measured against; the mean over the model's sets, each
 * as large as its samples.
 */
export function overallQuality(
  sets: readonly AnchorSet[],
  profileColumns: readonly { readonly set: number; readonly column: number }[],
): number {
  let sum = 0;
  let samples = 0;
  for (const { set: number, column } of profileColumns) {
    const { summaries, prior } = sets[number] as AnchorSet;
    const { samples: scored, quality_stderr } = summaries[column] as ProfileSummary;
    const weight = Math.max(1, scored);
    sum += weight * ((prior.overall.quality[column] as number) - quality_stderr);
    samples += weight;
  }
  return sum / samples;
}

/** Index of the candidate with the highest overall quality; ties go to the first by id. */
export function placeOfBestOverall(
  candidates: readonly { readonly model: string; readonly overallQuality: number }[],
): number {
  let best = 0;
  for (let index = 1; index < candidates.length; index++) {
    const [candidate, held] = [candidates[index], candidates[best]];
    if (candidate === undefined || held === undefined) continue;
    if (candidate.overallQuality > held.overallQuality) best = index;
    else if (candidate.overallQuality === held.overallQuality && candidate.model < held.model) best = index;
  }
  return best;
}
