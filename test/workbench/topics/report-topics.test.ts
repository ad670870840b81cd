/** Topics of a report where prompts came without categories, on planted sets whose true topics are known. */
import { beforeAll, describe, expect, it } from "vitest";
import type { LoadedSet } from "../../../src/engine/profiles/load.js";
import { topicStrengths } from "../../../src/workbench/set-report/topic-strengths.js";
import { type ReportTopics, reportTopics } from "../../../src/workbench/topics/report-topics.js";
import { loadedPlanted, plantWorld } from "../../engine/profiles/planted-set.js";

const TRUE_TOPICS = 6;
interface Topics {
  readonly names: readonly string[];
  /** Topic of a prompt. */
  readonly of: (prompt: number) => number;
  /** Names that no prompt came with. */
  readonly unlabelled?: readonly string[];
}

/** The first model is good at half of the topics, the second at the others. */
async function setOf(prompts: number, { names, of, unlabelled }: Topics): Promise<LoadedSet> {
  const world = plantWorld(
    [
      { model: "even", skill: [0.9, 0.2, 0.9, 0.2, 0.9, 0.2], tokensOut: 100 },
      { model: "odd", skill: [0.2, 0.9, 0.2, 0.9, 0.2, 0.9], tokensOut: 100 },
    ],
    { prompts, seed: 5 },
  );
  const topicOf = Uint16Array.from(world.table.promptIds, (_, prompt) => of(prompt));
  const unlabelledTopics = unlabelled && { unlabelledTopics: unlabelled };
  const table = { ...world.table, topics: names, topicOf, ...unlabelledTopics };
  return loadedPlanted({ ...world, table });
}

const anchorsOf = ({ ofAnchor }: ReportTopics, topic: number): number[] =>
  [...ofAnchor.keys()].filter((anchor) => ofAnchor[anchor] === topic);

describe("The topics of a report", () => {
  let single: LoadedSet;
  beforeAll(async () => {
    single = await setOf(600, { names: ["planted"], of: () => 0 });
  });

  it("are clusters of similar anchors where the prompts came without categories, numbered by size, the same every time", () => {
    const topics = reportTopics(single);
    expect(reportTopics(single)).toEqual(topics);
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
    const of = (prompt: number) => (prompt % TRUE_TOPICS === 0 ? 0 : 1);
    const loaded = await setOf(600, { names: ["law", "ours"], of, unlabelled: ["ours"] });
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
    const topics = reportTopics(await setOf(60, { names: ["planted"], of: () => 0 }));
    expect(topics).toMatchObject({ names: ["planted"], isCluster: [false] });
  });
});
