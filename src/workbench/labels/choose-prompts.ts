import { createExactIndex } from "../../engine/index.js";
import { sampleWithoutReplacement, seededRandom } from "../../foundation/random.js";
import { type GivenModel, ownPromptOptions } from "../placement/add-model.js";
import { placePrompt } from "../placement/own-prompts.js";
import type { PlaceableSet } from "../placement/placeable-set.js";
import { SAME_PROMPT } from "../placement/prompts-of-the-set.js";
import { type ReportTopics, reportTopics } from "../set-report/report-topics.js";
import { WorkbenchError } from "../workbench-error.js";

export interface ChooseOptions {
  /** Unit vectors of prompts that may be labelled. */
  readonly pool: readonly Float32Array[];
  /** Labels to choose, at least 1. */
  readonly count: number;
  /** Another seed chooses other prompts. */
  readonly seed: number;
}

export interface ChosenPrompts {
  /** Positions in the pool, ascending. */
  readonly chosen: readonly number[];
  /** Prompts of the pool that are prompts of the set on which the model is scored. */
  readonly graded: number;
  /** Prompts of the pool unlike every prompt of the set, on which labels would not place the model. */
  readonly unlike: number;
  /** By chosen prompts, the most first; topics without prompts in the pool are left out. */
  readonly topics: readonly {
    readonly topic: string;
    /** Whether it is a cluster of similar prompts, in place of a topic without a name. */
    readonly clustered: boolean;
    /** Prompts of the pool that may be labelled. */
    readonly prompts: number;
    readonly chosen: number;
  }[];
}

type LabelledModel = Pick<GivenModel, "model" | "outcomes" | "own">;

/**
 * Chooses prompts of a pool that represent it: from each topic its share, drawn at random (stratified sampling with proportional
 * allocation). Choosing by information, expected gain or distance measured no better or worse
 * (docs/workbench.md#which-prompts-to-label-next).
 *
 * @throws WorkbenchError when nothing can be chosen
 */
export function choosePrompts(
  set: PlaceableSet,
  model: LabelledModel,
  { pool, count, seed }: ChooseOptions,
): ChosenPrompts {
  const { manifest, facts } = set;
  const topics = reportTopics(manifest, facts.topic);
  const { byTopic, gradedByTopic, graded, unlike } = placePool(set, pool, { model, topics });
  if (byTopic.every((prompts) => prompts.length === 0)) {
    throw new WorkbenchError(
      unlike === pool.length
        ? `no prompt of the pool is like a prompt of set "${manifest.name}"; build a set with these prompts instead`
        : `${model.model} has a grade for every prompt of the pool that is like one of set "${manifest.name}"; give more prompts`,
    );
  }
  const labels = shareLabels(
    count,
    byTopic.map((prompts, topic) => ({ prompts: prompts.length, graded: gradedByTopic[topic] as number })),
  );
  const random = seededRandom(seed);
  return {
    chosen: byTopic
      .flatMap((prompts, topic) => {
        const drawn = sampleWithoutReplacement(prompts.length, { count: labels[topic] as number, random });
        return Array.from(drawn, (position) => prompts[position] as number);
      })
      .sort((a, b) => a - b),
    graded,
    unlike,
    topics: topics.names
      .map((name, topic) => ({
        topic: name,
        clustered: topics.isCluster[topic] as boolean,
        prompts: byTopic[topic]?.length ?? 0,
        chosen: labels[topic] as number,
      }))
      .filter(({ prompts }) => prompts > 0)
      .sort((a, b) => b.chosen - a.chosen || (a.topic < b.topic ? -1 : 1)),
  };
}

interface PlacedPool extends Pick<ChosenPrompts, "graded" | "unlike"> {
  /** Positions of the prompts that may be labelled, `[topics]`. */
  readonly byTopic: readonly (readonly number[])[];
  /** Labels that the model has, to prompts of the set or others, `[topics]`. */
  readonly gradedByTopic: Uint32Array;
}

/** Divides the prompts of a pool by topic. */
function placePool(
  set: PlaceableSet,
  pool: readonly Float32Array[],
  { model, topics }: { readonly model: LabelledModel; readonly topics: ReportTopics },
): PlacedPool {
  const near = { ...ownPromptOptions(set, createExactIndex(set.vectors)), topicOf: topics.ofAnchor };
  const place = (vector: Float32Array) => {
    const placed = placePrompt(vector, near);
    if (placed === undefined || placed.similarity < SAME_PROMPT) return placed;
    // A prompt of the set itself has the topic that it has there.
    return { ...placed, topic: topics.ofAnchor[placed.nearest] as number };
  };
  const scored = new Set(model.outcomes.anchors);
  const byTopic: number[][] = topics.names.map(() => []);
  let graded = 0;
  let unlike = 0;
  pool.forEach((vector, position) => {
    const placed = place(vector);
    if (placed === undefined) unlike += 1;
    else if (placed.similarity >= SAME_PROMPT && scored.has(placed.nearest)) graded += 1;
    else byTopic[placed.topic]?.push(position);
  });
  const gradedByTopic = new Uint32Array(byTopic.length);
  const labelled = [
    ...Array.from(model.outcomes.anchors, (anchor) => topics.ofAnchor[anchor]),
    ...model.own.map(({ vector }) => place(vector)?.topic),
  ];
  for (const topic of labelled)
    if (topic !== undefined) gradedByTopic[topic] = (gradedByTopic[topic] as number) + 1;
  return { byTopic, gradedByTopic, graded, unlike };
}

interface TopicPool {
  /** Prompts of the topic that could be labelled. */
  readonly prompts: number;
  /** Prompts of the topic that are labelled already. */
  readonly graded: number;
}

/**
 * Shares labels out over the topics so that, with the labels there are, each topic has a share like its share of all prompts
 * (proportional allocation by the method of Webster and Sainte-Laguë). Ties go to the first topic. O(labels × topics).
 *
 * @param count at most the number of prompts
 * @returns labels of each topic, `[topics]`
 */
export function shareLabels(count: number, pools: readonly TopicPool[]): Uint32Array {
  const labels = new Uint32Array(pools.length);
  for (let label = 0; label < count; label++) {
    let next = -1;
    let most = 0;
    pools.forEach(({ prompts, graded }, topic) => {
      const given = labels[topic] as number;
      const quotient = (prompts + graded) / (given + graded + 0.5);
      if (given < prompts && quotient > most) [next, most] = [topic, quotient];
    });
    if (next < 0) break;
    labels[next] = (labels[next] as number) + 1;
  }
  return labels;
}
