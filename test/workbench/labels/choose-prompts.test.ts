/** What labels are expected to add in planted worlds, with and without the names of their topics. */
import { describe, expect, it } from "vitest";
import { decodeRow } from "../../../src/engine/search/anchor-vectors.js";
import { type ChosenPrompts, choosePrompts } from "../../../src/workbench/labels/choose-prompts.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { openPlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { buildPlanted, type PlantedModel, plantWorld } from "../../engine/profiles/planted-set.js";

const KNOWN: readonly PlantedModel[] = [
  { model: "first", skill: [0.95, 0.95, 0.3, 0.3, 0.3, 0.3] },
  { model: "second", skill: [0.3, 0.3, 0.95, 0.95, 0.3, 0.3] },
];

interface World {
  readonly prompts: number;
  readonly models?: readonly PlantedModel[];
  readonly isNamed: boolean;
}

/** For a new model of which nothing is known, and prompts like those of the set. */
async function chosenIn({ prompts, models = KNOWN, isNamed }: World): Promise<ChosenPrompts> {
  const world = plantWorld(models, { prompts, seed: 5 });
  const unnamed = { topics: ["planted"], topicOf: new Uint16Array(prompts) };
  const table = { ...world.table, ...(isNamed ? {} : unnamed) };
  const set = await openPlaceableSet(await buildPlanted({ ...world, table }));
  const model = { model: "new", scores: [], outcomes: noAnswers("new").outcomes, own: [], facts: {} };
  const pool = Array.from({ length: prompts }, (_, anchor) => decodeRow(world.vectors, anchor));
  return choosePrompts(set, model, { pool, count: 60, seed: 0 });
}

describe("The gain that labels are expected to bring", () => {
  it("is told from clusters where topics have no names, and is about what such models bring", async () => {
    const [named, clustered] = [
      await chosenIn({ prompts: 600, isNamed: true }),
      await chosenIn({ prompts: 600, isNamed: false }),
    ];
    expect(named.topics.map(({ clustered: isCluster }) => isCluster)).toEqual(Array(6).fill(false));
    expect(clustered.topics.length).toBeGreaterThanOrEqual(6);
    expect(clustered.topics[0]).toMatchObject({ topic: "Cluster 1", clustered: true });
    expect(clustered.isLowerBound).toBe(false);
    // A third of the prompts is solved by neither. A new model that is good at two of the six topics, as they are, adds
    // (.95 − .3) / 3 there on average; a perfect one adds about .7 there and .05 elsewhere.
    const onAverage = 0.65 / 3 / 3;
    expect(clustered.gain.atMost).toBeGreaterThan(0.5 * onAverage);
    expect(clustered.gain.atMost).toBeLessThan(2 * onAverage);
    expect(clustered.gain.withLabels).toBeGreaterThan(clustered.gain.now + 0.01);
    for (const { error, errorWithLabels } of clustered.topics) {
      expect(error).toBeLessThan(0.5);
      expect(errorWithLabels).toBeLessThan(error);
    }
  });

  it("takes no difference between clusters from models that are equally good at all", async () => {
    const alike = [0.6, 0.6, 0.6, 0.6, 0.6, 0.6];
    const models = ["first", "second"].map((model) => ({ model, skill: alike }));
    const same = await chosenIn({ prompts: 600, models, isNamed: false });
    const differing = await chosenIn({ prompts: 600, isNamed: false });
    expect(same.isLowerBound).toBe(false);
    expect(same.topics[0]?.error).toBeLessThan(0.7 * (differing.topics[0]?.error ?? 0));
  });

  it("is called a lower bound where the set has one topic that cannot be divided, or one other model", async () => {
    expect(await chosenIn({ prompts: 60, isNamed: false })).toMatchObject({ isLowerBound: true });
    const models = KNOWN.slice(0, 1);
    expect(await chosenIn({ prompts: 600, models, isNamed: false })).toMatchObject({ isLowerBound: true });
    expect(await chosenIn({ prompts: 60, isNamed: true })).toMatchObject({ isLowerBound: false });
  });
});
