import { seededRandom } from "../../profiles/build/random.js";
import { type GivenModel, type PlacedModel, placeNewModel } from "../../profiles/placement/add-model.js";
import { type PlaceableSet, withPlacedModel } from "../../profiles/placement/placeable-set.js";
import type { SkillBeliefs } from "../../profiles/placement/skill-beliefs.js";
import type { AnchorIndex } from "../../search/anchor-index.js";
import { createExactIndex } from "../../search/exact-index.js";
import { WorkbenchError } from "../workbench-error.js";
import { type DecisionPoint, decisionPoints } from "./decision-points.js";
import { type LabelGain, labelGain } from "./expected-gain.js";
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
}

interface TopicLabels {
  readonly topic: string;
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
  const placedPool = placePool(set, pool, { model, index });
  const { byTopic, gradedByTopic, graded, unlike } = placedPool;
  requirePrompts(set, { model, pool, placedPool });
  const placed = placeNewModel(set, model);
  const points = trafficPoints(set, placed, { index, random, costs });
  const labels = shareLabels(
    count,
    byTopic.map((prompts, topic) => ({
      prompts: prompts.length,
      graded: gradedByTopic[topic] as number,
    })),
  );
  const chosen = byTopic.map((prompts, topic) => shuffled(prompts, random).slice(0, labels[topic]));
  const before = placed.beliefs();
  const after = withLabels(before, { chosen, skill: placed.skill });
  return {
    chosen: chosen.flatMap((prompts) => prompts.map(({ position }) => position)).sort((a, b) => a - b),
    graded,
    unlike,
    topics: set.table.topics
      .map((name, topic) => ({
        topic: name,
        prompts: byTopic[topic]?.length ?? 0,
        chosen: labels[topic] as number,
        error: SLOPE * Math.sqrt(before.variance(topic)),
        errorWithLabels: SLOPE * Math.sqrt(after.variance(topic)),
      }))
      .filter(({ prompts }) => prompts > 0)
      .sort((a, b) => b.chosen - a.chosen || (a.topic < b.topic ? -1 : 1)),
    gain: labelGain(points, { before, after }),
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
  readonly index: AnchorIndex;
  readonly random: () => number;
  readonly costs: CostOptions | undefined;
}

function trafficPoints(
  set: PlaceableSet,
  { profile }: PlacedModel,
  { index, random, costs }: TrafficOptions,
): DecisionPoint[] {
  const { model } = profile.facts;
  const current = withPlacedModel(set, profile, { index });
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
    worthOf: costs === undefined ? qualityAlone : worthAt(current, { model, ...costs }),
  });
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
      // An uncertain skill or ease flattens the curve (MacKay 1992, "The evidence framework").
      const slope = 1 / Math.sqrt(1 + (Math.PI / 8) * (before.variance(topic) + variance));
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
