import type { AnchorIndex } from "../../engine/search/anchor-index.js";
import { logisticLink } from "../fitting/logistic-link.js";
import type { GradedAnswers } from "./place-by-evidence.js";

/** A graded answer to a prompt that is not an anchor. */
export interface OwnAnswer {
  /** Unit vector of the prompt, `[dimensions]`. */
  readonly vector: Float32Array;
  readonly score: number;
}

/** What the anchors near a prompt say of it. */
export interface PlacedPrompt {
  /** The nearest anchor, and its similarity. */
  readonly nearest: number;
  readonly similarity: number;
  readonly topic: number;
  /** Log-odds, and its variance. */
  readonly ease: number;
  readonly variance: number;
}

export interface OwnPromptOptions extends AnchorEase {
  readonly index: AnchorIndex;
  readonly neighbours: number;
  readonly kernelWidth: number;
  /** Minimum similarity of the nearest anchor for a prompt to be used. */
  readonly leastSimilarity: number;
}

/** Minimum variance of the ease of two similar prompts (guess). */
const LEAST_EASE_VARIANCE = 0.25;

/**
 * Converts answers to other prompts to answers on the topic of their nearest anchors: each prompt has the mean ease of
 * these, with a variance by how much they differ. Answers to prompts without a similar anchor are omitted and counted.
 */
export function answersOnOwnPrompts(
  given: readonly OwnAnswer[],
  options: OwnPromptOptions,
): { readonly answers: GradedAnswers; readonly leftOut: number } {
  const found = given.flatMap(({ vector, score }) => {
    const near = placePrompt(vector, options);
    return near === undefined ? [] : [{ ...near, score }];
  });
  return {
    leftOut: given.length - found.length,
    answers: {
      topic: Uint16Array.from(found, (answer) => answer.topic),
      ease: Float32Array.from(found, (answer) => answer.ease),
      easeVariance: Float32Array.from(found, (answer) => answer.variance),
      score: Float32Array.from(found, (answer) => answer.score),
      weight: new Float32Array(found.length).fill(1),
    },
  };
}

/** Undefined for a prompt without a similar anchor. */
export function placePrompt(
  vector: Float32Array,
  { index, neighbours, kernelWidth, leastSimilarity, topicOf, ease }: OwnPromptOptions,
): PlacedPrompt | undefined {
  const { anchors, similarities } = index.search(vector, neighbours);
  const best = similarities[0] ?? Number.NEGATIVE_INFINITY;
  if (best <= leastSimilarity) return undefined;
  const weights = similarities.map((similarity) => Math.exp((similarity - best) / kernelWidth));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const easeOf = (position: number) => ease[anchors[position] as number] as number;
  const mean = weights.reduce((sum, weight, position) => sum + weight * easeOf(position), 0) / total;
  const spread =
    weights.reduce((sum, weight, position) => sum + weight * (easeOf(position) - mean) ** 2, 0) / total;
  const shares = new Map<number, number>();
  weights.forEach((weight, position) => {
    const topic = topicOf[anchors[position] as number] as number;
    shares.set(topic, (shares.get(topic) ?? 0) + weight);
  });
  const [topic] = [...shares].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  const nearest = anchors[0] as number;
  return { nearest, similarity: best, topic, ease: mean, variance: Math.max(spread, LEAST_EASE_VARIANCE) };
}

/** Facts of a set's anchors needed for placement. */
interface AnchorEase {
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
