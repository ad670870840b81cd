/** Topics of a report where prompts came without categories, on planted sets whose true topics are known. */
import { beforeAll, describe, expect, it } from "vitest";
import { type LoadedSet, loadProfileSet } from "../../../src/engine/profiles/load.js";
import { topicStrengths } from "../../../src/workbench/set-report/topic-strengths.js";
import { type ReportTopics, reportTopics } from "../../../src/workbench/topics/report-topics.js";
import { buildPlanted, type PlantedWorld, plantWorld } from "../../engine/profiles/planted-set.js";

const TRUE_TOPICS = 6;
/** The first model is good at half of the topics, the second at the others. */
const WORLD = plantWorld(
  [
    { model: "even", skill: [0.9, 0.2, 0.9, 0.2, 0.9, 0.2], tokensOut: 100 },
    { model: "odd", skill: [0.2, 0.9, 0.2, 0.9, 0.2, 0.9], tokensOut: 100 },
  ],
  { prompts: 600, seed: 5 },
);

async function setOf(
  world: PlantedWorld,
  topics: { readonly names: readonly string[]; readonly of: (prompt: number) => number },
  unlabelledTopics?: readonly string[],
): Promise<LoadedSet> {
  const table = {
    ...world.table,
    topics: topics.names,
    topicOf: Uint16Array.from(world.table.promptIds, (_, prompt) => topics.of(prompt)),
    ...(unlabelledTopics === undefined ? {} : { unlabelledTopics }),
  };
  return loadProfileSet(await buildPlanted({ ...world, table }), {});
}

const anchorsOf = ({ ofAnchor }: ReportTopics, topic: number): number[] =>
  [...ofAnchor.keys()].filter((anchor) => ofAnchor[anchor] === topic);

describe("The topics of a report", () => {
  let single: LoadedSet;
  beforeAll(async () => {
    single = await setOf(WORLD, { names: ["planted"], of: () => 0 });
  });

  it("are clusters of similar anchors where the prompts came without categories, numbered by size", () => {
    const topics = reportTopics(single);
    expect(topics.names.length).toBeGreaterThanOrEqual(TRUE_TOPICS);
    expect(topics.names.length).toBeLessThanOrEqual(16);
    expect(topics.names).toEqual(topics.names.map((_, topic) => `Cluster ${topic + 1}`));
    expect(topics.isCluster).not.toContain(false);
    expect([...topics.counts]).toEqual([...topics.counts].sort((a, b) => b - a));
    expect(topics.counts.reduce((sum, count) => sum + count, 0)).toBe(600);
    for (const topic of topics.names.keys()) {
      const truth = new Set(anchorsOf(topics, topic).map((anchor) => anchor % TRUE_TOPICS));
      expect(truth.size, `true topics in ${topics.names[topic]}`).toBe(1);
    }
  });

  it("are the same every time", () => {
    expect(reportTopics(single)).toEqual(reportTopics(single));
  });

  it("show on clusters what each model is good at, with errors that hold", () => {
    const topics = reportTopics(single);
    const strengthsOf = topicStrengths(single, topics);
    const errors: number[] = [];
    for (const profile of single.profiles) {
      strengthsOf(profile).forEach(({ quality, error, measured }, topic) => {
        const isEven = ((anchorsOf(topics, topic)[0] as number) % TRUE_TOPICS) % 2 === 0;
        const truth = isEven === (profile.facts.model === "even") ? 0.9 : 0.2;
        expect(measured).toBe(1);
        errors.push((quality - truth) / error);
      });
    }
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(3.5);
    const rms = Math.sqrt(errors.reduce((sum, each) => sum + each ** 2, 0) / errors.length);
    expect(rms).toBeGreaterThan(0.4);
    expect(rms).toBeLessThan(1.5);
  });

  it("keep the names that prompts came with, and divide only topics without one", async () => {
    const names = ["law", "ours"];
    const loaded = await setOf(WORLD, { names, of: (prompt) => (prompt % TRUE_TOPICS === 0 ? 0 : 1) }, [
      "ours",
    ]);
    const topics = reportTopics(loaded);
    expect(topics.names[0]).toBe("law");
    expect(topics.isCluster[0]).toBe(false);
    expect(topics.counts[0]).toBe(100);
    expect(topics.names.slice(1, 3)).toEqual(["ours: cluster 1", "ours: cluster 2"]);
    expect(topics.isCluster.slice(1)).not.toContain(false);
    const [profile] = loaded.profiles;
    const strengths = profile && topicStrengths(loaded, topics)(profile);
    expect(strengths).toHaveLength(topics.names.length);
    expect(strengths?.[0]?.quality).toBeCloseTo(0.9, 0);
  });

  it("stay one where there are too few anchors", async () => {
    const few = plantWorld(
      [
        { model: "a", skill: [1, 1, 1, 0, 0, 0] },
        { model: "b", skill: [0, 0, 0, 1, 1, 1] },
      ],
      {
        prompts: 60,
        seed: 5,
      },
    );
    const topics = reportTopics(await setOf(few, { names: ["planted"], of: () => 0 }));
    expect(topics).toMatchObject({ names: ["planted"], isCluster: [false] });
  });
});
