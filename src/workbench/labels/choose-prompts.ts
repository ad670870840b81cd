import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import { createExactIndex } from "../../engine/index.js";
import { seededRandom } from "../../foundation/random.js";
import { type GivenModel, type PlacedModel, placeNewModel } from "../placement/add-model.js";
import { type PlaceableSet, withPlacedModel } from "../placement/placeable-set.js";
import type { SkillBeliefs } from "../placement/skill-beliefs.js";
import { WorkbenchError } from "../workbench-error.js";
import { type DecisionPoint, decisionPoints } from "./decision-points.js";
import { type LabelGain, labelGain } from "./expected-gain.js";
import { type LabelTopics, labelTopics } from "./label-topics.js";
import { type PlacedPool, type PoolPrompt, placePool } from "./place-pool.js";
import { shareLabels } from "./share-labels.js";
import { type CostOptions, qualityAlone, worthAt } from "./worth.js";

export interface ChooseOptions {
  /** Unit vectors of prompts that may be labelled. */
  readonly pool: readonly Float32Array[];
  /** Labels to choose, at least 1. */
  readonly count: number;
  /** Another seed chooses other prompts. */
  readonly seed: number;
  /** Cost weight of the decisions that labels are to improve, with prices. Default: costs do not count. */
  readonly costs?: CostOptions;
}

export interface ChosenPrompts {
  /** Positions in the pool, ascending. */
  readonly chosen: readonly number[];
  /** Prompts of the pool that are prompts of the set on which the model is scored. */
  readonly graded: number;
  /** Prompts of the pool unlike every prompt of the set, on which labels would not place the model. */
  readonly unlike: number;
  /** By chosen prompts, the most first; topics without prompts in the pool are left out. */
  readonly topics: readonly TopicLabels[];
  readonly gain: LabelGain;
  /** Whether models may differ within the topics of the set by more than it can say, so that the gains are a lower bound. */
  readonly isLowerBound: boolean;
}

interface TopicLabels {
  readonly topic: string;
  /** Whether it is a cluster of similar prompts, in place of a topic without a name. */
  readonly clustered: boolean;
  /** Prompts of the pool that may be labelled. */
  readonly prompts: number;
  readonly chosen: number;
  /** Standard error of the model's quality on a prompt that it solves as often as not: now, and with the labels. */
  readonly error: number;
  readonly errorWithLabels: number;
}

/** Prompts of the set that stand for the traffic. */
const TRAFFIC = 1000;
/** Quality by log-odds, where a prompt is solved as often as not. */
const SLOPE = 0.25;
/** Variance of log-odds that flattens the curve: an uncertain skill is averaged over (MacKay 1992, "The evidence framework"). */
const flattening = (variance: number): number => 1 / Math.sqrt(1 + (Math.PI / 8) * variance);
/** Standard error of quality by the variance of log-odds: below .5, however large that is. */
const errorOf = (variance: number): number => SLOPE * Math.sqrt(variance) * flattening(variance);

/**
 * Chooses prompts of a pool that represent it: from each topic its share, drawn at random (stratified sampling with proportional
 * allocation). Choosing by information, expected gain or distance measured no better or worse
 * (docs/decisions/0025-labels-next.md).
 *
 * @throws WorkbenchError when the set has no other model, or nothing can be chosen; PlacementError
 */
export function choosePrompts(
  set: PlaceableSet,
  model: GivenModel,
  { pool, count, seed, costs }: ChooseOptions,
): ChosenPrompts {
  const index = createExactIndex(set.vectors);
  const random = seededRandom(seed);
  const placed = placeNewModel(set, model);
  const current = withPlacedModel(set, placed.profile, { index });
  const topics = labelTopics(set, { current, model: placed.profile.facts.model });
  const placedPool = placePool(set, pool, { model, index, topics });
  const { byTopic, gradedByTopic, graded, unlike } = placedPool;
  requirePrompts(set, { model, pool, placedPool });
  const points = trafficPoints(current, { placed, set, topics, random, costs });
  const labels = shareLabels(
    count,
    byTopic.map((prompts, topic) => ({
      prompts: prompts.length,
      graded: gradedByTopic[topic] as number,
    })),
  );
  const chosen = byTopic.map((prompts, topic) => shuffled(prompts, random).slice(0, labels[topic]));
  const before = beliefsOn(topics, { placed, gradedByTopic });
  const skill = Float64Array.from(topics.parent, (of) => placed.skill[of] as number);
  const after = withLabels(before, { chosen, skill });
  return {
    chosen: chosen.flatMap((prompts) => prompts.map(({ position }) => position)).sort((a, b) => a - b),
    graded,
    unlike,
    topics: topics.names
      .map((name, topic) => ({
        topic: name,
        clustered: topics.isCluster[topic] as boolean,
        prompts: byTopic[topic]?.length ?? 0,
        chosen: labels[topic] as number,
        error: errorOf(before.variance(topic)),
        errorWithLabels: errorOf(after.variance(topic)),
      }))
      .filter(({ prompts }) => prompts > 0)
      .sort((a, b) => b.chosen - a.chosen || (a.topic < b.topic ? -1 : 1)),
    gain: labelGain(points, { before, after }),
    isLowerBound: topics.hasUnknownDifferences,
  };
}

interface Pool {
  readonly model: GivenModel;
  readonly pool: readonly Float32Array[];
  readonly placedPool: PlacedPool;
}

function requirePrompts({ manifest }: PlaceableSet, { model, pool, placedPool }: Pool): void {
  if (placedPool.byTopic.some((prompts) => prompts.length > 0)) return;
  throw new WorkbenchError(
    placedPool.unlike === pool.length
      ? `no prompt of the pool is like a prompt of set "${manifest.name}"; build a set with these prompts instead`
      : `${model.model} has a grade for every prompt of the pool that is like one of set "${manifest.name}"; give more prompts`,
  );
}

interface TrafficOptions {
  readonly set: PlaceableSet;
  readonly placed: PlacedModel;
  readonly topics: LabelTopics;
  readonly random: () => number;
  readonly costs: CostOptions | undefined;
}

function trafficPoints(
  current: AnchorSet,
  { set, placed, topics, random, costs }: TrafficOptions,
): DecisionPoint[] {
  const { model } = placed.profile.facts;
  if (current.models.length < 2) {
    throw new WorkbenchError(
      `set "${set.manifest.name}" has no model but ${model}, so that there is nothing to choose between; name a set of several`,
    );
  }
  const { anchors: count } = set.manifest;
  const anchors =
    count <= TRAFFIC
      ? Array.from({ length: count }, (_, anchor) => anchor)
      : Array.from({ length: TRAFFIC }, () => Math.floor(random() * count));
  return decisionPoints(current, {
    model,
    anchors,
    topicOf: topics.ofAnchor,
    worthOf: costs === undefined ? qualityAlone : worthAt(current, { model, ...costs }),
  });
}

/** What is known of the skills on clusters too: a topic's information is shared out over its clusters by the model's answers to each. */
function beliefsOn(
  topics: LabelTopics,
  { placed, gradedByTopic }: { readonly placed: PlacedModel; readonly gradedByTopic: Uint32Array },
): SkillBeliefs {
  const beliefs = placed.priorBeliefs().divided(topics.parent, topics.deviation);
  const within = (of: number, counts: Uint32Array): number =>
    counts.reduce((sum, count, topic) => sum + (topics.parent[topic] === of ? count : 0), 0);
  topics.parent.forEach((of, topic) => {
    const counts = within(of, gradedByTopic) > 0 ? gradedByTopic : topics.counts;
    const share = (counts[topic] as number) / Math.max(1, within(of, counts));
    beliefs.observe(topic, (placed.information[of] as number) * share);
  });
  return beliefs;
}

/** What will be known of the skills with labels of these prompts, `[topics]`. */
function withLabels(
  before: SkillBeliefs,
  { chosen, skill }: { readonly chosen: readonly (readonly PoolPrompt[])[]; readonly skill: Float64Array },
): SkillBeliefs {
  const after = before.copy();
  chosen.forEach((prompts, topic) => {
    let information = 0;
    for (const { ease, variance } of prompts) {
      const slope = flattening(before.variance(topic) + variance);
      const expected = 1 / (1 + Math.exp(-slope * ((skill[topic] as number) + ease)));
      information += slope * slope * expected * (1 - expected);
    }
    after.observe(topic, information);
  });
  return after;
}

/** A new array in random order (Fisher and Yates). */
function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  const order = [...items];
  for (let last = order.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [order[last], order[other]] = [order[other] as Item, order[last] as Item];
  }
  return order;
}
