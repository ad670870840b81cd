/** Topics of a build where prompts came without categories, on planted worlds whose true topics are known. */
import { describe, expect, it } from "vitest";
import { decodeRow } from "../../../src/engine/index.js";
import { type DividedTopics, divideTopics } from "../../../src/workbench/fitting/topic-clusters.js";
import { topicStrengths } from "../../../src/workbench/set-report/topic-strengths.js";
import { loadedPlanted, plantWorld } from "../../engine/profiles/planted-set.js";

const TRUE_TOPICS = 6;

/** The first model is good at half of the topics, the second at the others. */
const worldOf = (prompts: number) =>
  plantWorld(
    [
      { model: "even", skill: [0.9, 0.2, 0.9, 0.2, 0.9, 0.2], tokensOut: 100 },
      { model: "odd", skill: [0.2, 0.9, 0.2, 0.9, 0.2, 0.9], tokensOut: 100 },
    ],
    { prompts, seed: 5 },
  );

interface Topics {
  readonly names: readonly string[];
  /** Topic of a prompt. */
  readonly of: (prompt: number) => number;
  readonly unlabelled: readonly string[];
}

function divided({ vectors, table }: ReturnType<typeof worldOf>, topics: Topics): DividedTopics {
  const { names, of, unlabelled } = topics;
  const topicOf = Uint16Array.from(table.promptIds, (_, prompt) => of(prompt));
  const vectorOf = (anchor: number) => decodeRow(vectors, anchor);
  return divideTopics({ topics: names, topicOf, unlabelled, vectorOf, seed: 0 });
}

const SINGLE: Topics = { names: ["planted"], of: () => 0, unlabelled: ["planted"] };

const anchorsOf = ({ ofAnchor }: DividedTopics, topic: number): number[] =>
  [...ofAnchor.keys()].filter((anchor) => ofAnchor[anchor] === topic);

describe("The topics of a set", () => {
  it("are clusters of similar anchors where the prompts came without categories, numbered by size, the same every time", () => {
    const world = worldOf(600);
    const topics = divided(world, SINGLE);
    expect(divided(world, SINGLE)).toEqual(topics);
    expect(topics.names.length).toBeGreaterThanOrEqual(TRUE_TOPICS);
    expect(topics.names.length).toBeLessThanOrEqual(16);
    expect(topics.names).toEqual(topics.names.map((_, topic) => `Cluster ${topic + 1}`));
    expect(topics.isCluster).not.toContain(false);
    const sizes = topics.names.map((_, topic) => anchorsOf(topics, topic).length);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    for (const topic of topics.names.keys()) {
      const truth = new Set(anchorsOf(topics, topic).map((anchor) => anchor % TRUE_TOPICS));
      expect(truth.size, `true topics in ${topics.names[topic]}`).toBe(1);
    }
  });

  it("show on clusters what each model is good at, with errors that hold", async () => {
    const world = worldOf(600);
    const topics = divided(world, SINGLE);
    const table = { ...world.table, topics: topics.names, topicOf: topics.ofAnchor };
    const { profiles } = await loadedPlanted({ ...world, table });
    const errors = profiles.flatMap((profile) =>
      topicStrengths(profile).map(({ quality, error, measured }, topic) => {
        const isEven = ((anchorsOf(topics, topic)[0] as number) % TRUE_TOPICS) % 2 === 0;
        const truth = isEven === (profile.facts.model === "even") ? 0.9 : 0.2;
        expect(measured).toBe(1);
        return (quality - truth) / error;
      }),
    );
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(3.5);
    const rms = Math.sqrt(errors.reduce((sum, each) => sum + each ** 2, 0) / errors.length);
    expect(rms).toBeGreaterThan(0.4);
    expect(rms).toBeLessThan(1.5);
  });

  it("keep the names that prompts came with, and divide only topics without one", () => {
    const of = (prompt: number) => (prompt % TRUE_TOPICS === 0 ? 0 : 1);
    const topics = divided(worldOf(600), { names: ["law", "ours"], of, unlabelled: ["ours"] });
    expect(topics.names.slice(0, 3)).toEqual(["law", "ours: cluster 1", "ours: cluster 2"]);
    expect(topics.isCluster).toEqual(topics.names.map((name) => name !== "law"));
    expect(anchorsOf(topics, 0)).toHaveLength(100);
  });

  it("stay one where there are too few anchors", () => {
    expect(divided(worldOf(60), SINGLE)).toMatchObject({ names: ["planted"], isCluster: [false] });
  });
});
