import type { AnchorIndex } from "../../engine/search/anchor-index.js";
import { type GivenModel, ownPromptOptions } from "../placement/add-model.js";
import { type OwnPromptOptions, type PlacedPrompt, placePrompt } from "../placement/own-prompts.js";
import type { PlaceableSet } from "../placement/placeable-set.js";
import { SAME_PROMPT } from "../placement/prompts-of-the-set.js";
import type { ReportTopics } from "../topics/report-topics.js";

export interface PoolPrompt extends PlacedPrompt {
  /** In the pool. */
  readonly position: number;
}

export interface PlacedPool {
  /** Prompts that may be labelled, `[topics]`. */
  readonly byTopic: readonly (readonly PoolPrompt[])[];
  /** Labels that the model has, to prompts of the set or others, `[topics]`. */
  readonly gradedByTopic: Uint32Array;
  /** Prompts of the pool that are prompts of the set on which the model is scored. */
  readonly graded: number;
  /** Prompts of the pool unlike every prompt of the set, on which labels would not place the model. */
  readonly unlike: number;
}

interface PlaceOptions {
  readonly model: GivenModel;
  /** Over the set's vectors. */
  readonly index: AnchorIndex;
  readonly topics: Pick<ReportTopics, "names" | "ofAnchor">;
}

/** Divides the prompts of a pool by topic. */
export function placePool(
  set: PlaceableSet,
  pool: readonly Float32Array[],
  { model, index, topics }: PlaceOptions,
): PlacedPool {
  const near = { ...ownPromptOptions(set, index), topicOf: topics.ofAnchor };
  const place = (vector: Float32Array) => onAnchor(near, placePrompt(vector, near));
  const scored = new Set(model.outcomes.anchors);
  const byTopic: PoolPrompt[][] = topics.names.map(() => []);
  let graded = 0;
  let unlike = 0;
  pool.forEach((vector, position) => {
    const placed = place(vector);
    if (placed === undefined) unlike += 1;
    else if (placed.similarity >= SAME_PROMPT && scored.has(placed.nearest)) graded += 1;
    else byTopic[placed.topic]?.push({ ...placed, position });
  });
  const gradedByTopic = new Uint32Array(byTopic.length);
  const count = (topic: number) => {
    gradedByTopic[topic] = (gradedByTopic[topic] as number) + 1;
  };
  for (const anchor of model.outcomes.anchors) count(topics.ofAnchor[anchor] as number);
  for (const { vector } of model.own) {
    const placed = place(vector);
    if (placed !== undefined) count(placed.topic);
  }
  return { byTopic, gradedByTopic, graded, unlike };
}

/** A prompt of the set itself has the topic and ease that it has there. */
function onAnchor(
  { topicOf, ease }: OwnPromptOptions,
  placed: PlacedPrompt | undefined,
): PlacedPrompt | undefined {
  if (placed === undefined || placed.similarity < SAME_PROMPT) return placed;
  const { nearest } = placed;
  return {
    ...placed,
    topic: topicOf[nearest] as number,
    ease: ease[nearest] as number,
    variance: 0,
  };
}
