import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { recommendedWeightOf, saveRecommendedWeight } from "../../../src/engine/profiles/saved-weights.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { updateSet } from "../../../src/workbench/learning/extend-set.js";
import { openPlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { buildPlanted, DIMENSIONS, EMBEDDER, plantWorld } from "../../engine/profiles/planted-set.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { filesOf } from "../files-of.js";

const ANCHORS = 240;
const PROMPTS = 300;

/** Models of the profiled world; on the traffic, `middle` is best and `large` fails. */
const WORLD = plantWorld(
  Object.entries({ large: 0.9, middle: 0.7, small: 0.4 }).map(([model, skill]) => ({
    model,
    skill: Array<number>(6).fill(skill),
    tokensOut: 300,
  })),
  { prompts: ANCHORS, seed: 3 },
);
const TRUTH: Readonly<Record<string, number>> = { large: 0.3, middle: 0.9 };

/** A direction that no profiled prompt has, with a little noise by the number in the text. */
function trafficVector(text: string): Float32Array {
  const random = seededRandom(Number(/\d+/.exec(text)?.[0] ?? 0));
  const noise = Float32Array.from({ length: DIMENSIONS }, () => 0.1 * (random() - 0.5));
  const vector = noise.map((value, d) => value + (d % 2 === 0 ? 1 : -1));
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

const embedder: Embedder = {
  ...EMBEDDER,
  dimensions: DIMENSIONS,
  embed: async (texts) => texts.map(trafficVector),
  close: async () => {},
};

/** A tenth of the answers is by `middle`, the others by `large`, which writes twice as much as it did and has two to the second prompt; `unheard` has no profile. */
function writeTraffic(folder: string): void {
  const random = seededRandom(5);
  const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join("\n");
  const numbers = Array.from({ length: PROMPTS }, (_, number) => number);
  const outcomes = numbers.map((number) => {
    const [model, probability] = number % 10 === 0 ? ["middle", 0.1] : ["large", 0.9];
    const score = random() < (TRUTH[model as string] as number) ? 1 : 0;
    return { id: `t${number}`, model, score, tokens_out: model === "large" ? 600 : 250, probability };
  });
  const prompts = numbers.map((number) => ({ id: `t${number}`, prompt: `ask ${number}` }));
  writeFileSync(join(folder, "prompts.jsonl"), lines(prompts));
  const other = { id: "t0", model: "unheard", score: 1 };
  const again = outcomes.slice(1, 2);
  writeFileSync(join(folder, "outcomes.jsonl"), lines([...outcomes, ...again, other]));
}

const options = { name: "learned", builtAt: "2026-01-02T00:00:00Z", seed: 7, embedder };

const expectedOn = async (folder: string, text: string) => {
  const { set } = await loadProfileSet(folder, { embedder });
  const vector = trafficVector(text);
  const { quality } = gatherEvidence(set, set.index.search(vector, set.parameters.neighbours));
  return Object.fromEntries(set.models.map((model, column) => [model, quality[column] as number]));
};

const traffic = folderForTests();
const learned = join(folderForTests(), "learned");
const built = folderForTests();
let from: string;
let updated: Awaited<ReturnType<typeof updateSet>>;
let [before, after]: readonly (readonly string[])[] = [];
beforeAll(async () => {
  writeTraffic(traffic);
  from = await buildPlanted(WORLD, built);
  const recommended = { cost_weight: 0.3, rule: "knee", limit: null, prompts: 50 } as const;
  await saveRecommendedWeight(from, { ...recommended, saved_at: "2026-01-02T00:00:00Z" });
  before = filesOf(from);
  updated = await updateSet(from, traffic, { ...options, folder: learned });
  after = filesOf(learned);
});

async function expectStopped(folder: string, atStep: (step: string, stop: () => void) => unknown) {
  const stopping = new AbortController();
  const stop = () => stopping.abort(new Error("stopped"));
  const onProgress = (step: string) => void atStep(step, stop);
  const stopped = updateSet(from, traffic, {
    ...options,
    folder,
    seed: 8,
    signal: stopping.signal,
    onProgress,
  });
  await expect(stopped).rejects.toThrow("stopped");
}

describe("A set that learns from traffic", () => {
  it("expects on its prompts what the answers show, of the models that answered", async () => {
    const { manifest, learned: report, unknownModels } = updated;
    expect([manifest.anchors, report.answers, unknownModels]).toEqual([
      ANCHORS + PROMPTS,
      PROMPTS,
      ["unheard"],
    ]);
    expect(manifest.sources).toMatchObject([{ name: "planted", anchors: ANCHORS + PROMPTS }]);
    const [old, now] = [await expectedOn(from, "ask 7"), await expectedOn(learned, "ask 7")];
    expect(old.large).toBeGreaterThan((old.middle as number) + 0.1);
    expect(Math.abs((now.large as number) - 0.3)).toBeLessThan(0.1);
    expect(now.middle).toBeGreaterThan((now.large as number) + 0.25);
  });

  it("expects as many tokens of each model as its own answers had, not those of the prompts that another got", async () => {
    const tokensOn = async (folder: string) => {
      const { set } = await loadProfileSet(folder, { embedder });
      const vector = trafficVector("ask 9999");
      const neighbours = set.index.search(vector, set.parameters.neighbours);
      const { billRatio, answerRatio } = gatherEvidence(set, neighbours);
      const { verbosity } = set.columns;
      return set.models.map(
        (_, model) => 375 * answerRatio * (verbosity[model] as number) * (billRatio[model] as number),
      );
    };
    const [large, middle, small] = (await tokensOn(learned)) as [number, number, number];
    expect(Math.abs(large / 600 - 1)).toBeLessThan(0.15);
    expect(Math.abs(middle / 250 - 1)).toBeLessThan(0.2);
    expect(Math.abs(small / 300 - 1)).toBeLessThan(0.2);
    expect(Math.abs((updated.realOverExpected ?? 0) - 1)).toBeLessThan(0.05);
  });

  it("has no recommended cost weight, as that of the old set was chosen on other decisions", async () => {
    expect(recommendedWeightOf(await loadProfileSet(from, {}))?.cost_weight).toBe(0.3);
    expect(recommendedWeightOf(await loadProfileSet(learned, {}))).toBeNull();
  });

  it("keeps what the old set knew, leaves that set as it was, and has the same bytes when it is made again", async () => {
    const again = join(folderForTest(), "learned");
    await updateSet(from, traffic, { ...options, folder: again });
    expect(filesOf(again)).toEqual(after);
    expect(filesOf(from)).toEqual(before);
    const [old, now] = [await openPlaceableSet(from), await openPlaceableSet(learned)];
    const topics = old.manifest.topics.length;
    expect(now.manifest.topics.slice(0, topics)).toEqual(old.manifest.topics);
    expect(now.facts.level_quality.slice(0, ANCHORS)).toEqual(old.facts.level_quality);
    const large = now.profiles.find(({ profile }) => profile.facts.model === "large")?.profile;
    expect([...(large?.samples ?? [])].slice(ANCHORS, ANCHORS + 3)).toEqual([2, 1, 1]);
    for (const [index, { profile }] of old.profiles.entries()) {
      const extended = now.profiles[index]?.profile;
      expect(extended?.skill.slice(0, topics)).toEqual(profile.skill);
      expect(extended?.quality.slice(0, profile.quality.length)).toEqual(profile.quality);
    }
  });

  it("can learn again, from other traffic", async () => {
    const folder = join(folderForTest(), "twice");
    const { manifest } = await updateSet(learned, traffic, { ...options, folder });
    expect(manifest.benchmarks.slice(-2)).toEqual(["traffic", "traffic-2"]);
  });

  it("leaves the set in its place as it was when it is stopped, and replaces it in the next run", async () => {
    const folder = join(folderForTest(), "learned");
    await updateSet(from, traffic, { ...options, folder });
    await expectStopped(folder, (step, stop) => step === "profiles" && stop());
    expect(filesOf(folder)).toEqual(after);
    expect(existsSync(`${folder}.draft`)).toBe(false);
    await updateSet(from, traffic, { ...options, folder, seed: 8 });
    expect(filesOf(folder)).not.toEqual(after);
    expect([`${folder}.draft`, `${folder}.partial`, `${folder}.old`].filter(existsSync)).toEqual([]);
  });

  it("can be stopped while expectations are computed", async () => {
    const folder = join(folderForTest(), "learned");
    // Waits for the thread, as a signal of the process does, and comes first when that is let go.
    await expectStopped(folder, (step, stop) => step === "expect" && setImmediate(stop));
    expect(existsSync(folder)).toBe(false);
  });

  it("is refused with another embedder", async () => {
    const folder = join(folderForTest(), "learned");
    const other = { ...embedder, fingerprint: "cd".repeat(32) };
    const refused = updateSet(from, traffic, { ...options, folder, embedder: other });
    await expect(refused).rejects.toMatchObject({ name: "ProfileSetError" });
    expect(existsSync(folder)).toBe(false);
  });
});
