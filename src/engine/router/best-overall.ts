import type { AnchorSet } from "../estimation/anchor-set.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import type { ProfileColumn } from "./effort-dial.js";

/** Gain over the best overall model that is as often spurious as real (docs/decisions/0003-estimator.md). */
export const UNCERTAIN_GAIN = 0.015;
/** Fraction of an uncertain gain that is kept: preserves the order, and is worth less than the difference of any two prices. */
const REST = 1e-6;

/**
 * Multiple of a standard error that is subtracted from the gain of a model with few or no graded answers, applied to
 * the part of its standard error that the best overall model does not have (guess; ten perfect answers must not beat
 * 150 of which 90 % are right).
 */
const STDERRS_OF_LUCK = 0.35;
/** Fewer graded answers than this count as few. */
const FEW_ANSWERS = 30;

/** Whether a model has few or no graded answers and no published scores that would support them. */
export const restsOnLittle = ({
  published,
  samples,
}: Pick<ProfileSummary, "published" | "samples">): boolean => published.length === 0 && samples < FEW_ANSWERS;

interface Expected {
  /** In [0, 1]. */
  readonly quality: number;
  readonly stderr: number;
  /** Default false. */
  readonly restsOnLittle?: boolean;
}

/**
 * Corrects for the winner's curse: the highest of many estimates tends to be too high. The expected gain over the best
 * overall model is lowered by `UNCERTAIN_GAIN`, and by more for a model that `restsOnLittle`. A smaller gain, or none,
 * becomes a tiny loss, so that such models rank directly after the best overall, in their own order. Models that are
 * expected to be worse keep their quality.
 *
 * @param model another one than the best overall
 */
export function withoutUncertainGain(model: Expected, best: Omit<Expected, "restsOnLittle">): number {
  const { quality, stderr } = model;
  if (!(quality >= best.quality)) return quality;
  const ignorance = model.restsOnLittle === true ? Math.sqrt(Math.max(0, stderr ** 2 - best.stderr ** 2)) : 0;
  const gain = quality - best.quality - Math.max(UNCERTAIN_GAIN, STDERRS_OF_LUCK * ignorance);
  return best.quality + (gain < 0 ? gain * REST : gain);
}

/** Any number above 0. */
const BELOW_ITS_REFERENCE = 1e-6;

/**
 * Lower bound of a model's quality over all topics: the mean minus one standard error, so that a model with little
 * evidence is not the one that others are compared with; an effort without a profile never is in place of the one that it is
 * derived from. For several sets, the mean weighted by their samples.
 */
export function overallQuality(sets: readonly AnchorSet[], profileColumns: readonly ProfileColumn[]): number {
  let sum = 0;
  let samples = 0;
  for (const { set: number, column, derived } of profileColumns) {
    const { summaries, prior } = sets[number] as AnchorSet;
    const { samples: scored, quality_stderr } = summaries[column] as ProfileSummary;
    const weight = Math.max(1, scored);
    const own = (prior.overall.quality[column] as number) - quality_stderr;
    sum += weight * (derived === undefined ? own : own - Math.max(0, -derived.levels) - BELOW_ITS_REFERENCE);
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
