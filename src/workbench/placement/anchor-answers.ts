import { logisticLink } from "../fitting/two-way-fit.js";
import type { GradedAnswers } from "./place-by-evidence.js";

/** Facts of a set's anchors needed for placement. */
export interface AnchorEase {
  /** `[anchors]` */
  readonly topicOf: Uint16Array;
  readonly ease: Float32Array;
}

/** Graded answers to anchors of the set, whose ease is known. */
export function answersOnAnchors(
  { anchors, quality }: { readonly anchors: Uint32Array; readonly quality: Float32Array },
  { topicOf, ease }: AnchorEase,
): GradedAnswers {
  return {
    topic: Uint16Array.from(anchors, (anchor) => topicOf[anchor] as number),
    ease: Float32Array.from(anchors, (anchor) => ease[anchor] as number),
    easeVariance: new Float32Array(anchors.length),
    score: quality,
    weight: new Float32Array(anchors.length).fill(1),
  };
}

/** Maximum weight of a published mean, in answers: others used other prompts and other conditions. */
const MOST_ANSWERS_A_MEAN = 100;

/**
 * A published mean over prompts like those of a topic or benchmark of the set, as answers to these prompts: with the
 * same advantage over the average model on each, such that their mean is the published one.
 *
 * @param anchors of the topic or benchmark
 * @param mean in [0, 1]
 */
export function answersOfMean(
  anchors: Uint32Array,
  { topicOf, ease, mean }: AnchorEase & { readonly mean: number },
): GradedAnswers {
  const eases = Float32Array.from(anchors, (anchor) => ease[anchor] as number);
  const advantage = advantageOf(eases, Math.min(0.99, Math.max(0.01, mean)));
  return {
    topic: Uint16Array.from(anchors, (anchor) => topicOf[anchor] as number),
    ease: eases,
    easeVariance: new Float32Array(anchors.length),
    score: eases.map((anchorEase) => logisticLink.mean(advantage + anchorEase)),
    weight: new Float32Array(anchors.length).fill(Math.min(1, MOST_ANSWERS_A_MEAN / anchors.length)),
  };
}

/** Advantage over the average model in log-odds that gives the mean; by bisection. */
function advantageOf(eases: Float32Array, mean: number): number {
  let low = -20;
  let high = 20;
  for (let step = 0; step < 60; step++) {
    const middle = (low + high) / 2;
    const found =
      eases.reduce((sum, anchorEase) => sum + logisticLink.mean(middle + anchorEase), 0) / eases.length;
    if (found < mean) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
