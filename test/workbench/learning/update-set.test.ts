import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Embedder } from "../../../src/engine/embedding/embedder.js";
import { gatherEvidence } from "../../../src/engine/estimation/evidence.js";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import {
  recommendedWeightOf,
  saveRecommendedWeight,
} from "../../../src/engine/profiles/recommended-weight.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { updateSet } from "../../../src/workbench/learning/extend-set.js";
import { openPlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { folderWith } from "../../engine/profiles/folder-for-test.js";
import { buildPlanted, DIMENSIONS, EMBEDDER, plantWorld } from "../../engine/profiles/planted-set.js";
import { folderForTest } from "../../support/folders.js";

const PROMPTS = 600;

/** Models of the profiled world; on the traffic, `middle` is best and `large` fails. */
const WORLD = plantWorld(
  [
    { model: "large", skill: [0.9, 0.9, 0.9, 0.9, 0.9, 0.9], tokensOut: 400 },
    { model: "middle", skill: [0.7, 0.7, 0.7, 0.7, 0.7, 0.7], tokensOut: 300 },
    { model: "small", skill: [0.4, 0.4, 0.4, 0.4, 0.4, 0.4], tokensOut: 200 },
  ],
  { prompts: 600, seed: 3 },
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

/** A tenth of the answers is by `middle`, the others by `large`; `unheard` has no profile. */
async function trafficFolder(): Promise<string> {
  const random = seededRandom(5);
  const prompts = Array.from({ length: PROMPTS }, (_, id) =>
    JSON.stringify({ id: `t${id}`, prompt: `ask ${id}` }),
  );
  const outcomes = prompts.map((_, id) => {
    const model = id % 10 === 0 ? "middle" : "large";
    const score = random() < (TRUTH[model] as number) ? 1 : 0;
    return JSON.stringify({
      id: `t${id}`,
      model,
      score,
      tokens_out: 250,
      probability: id % 10 === 0 ? 0.1 : 0.9,
    });
  });
  const other = JSON.stringify({ id: "t0", model: "unheard", score: 1 });
  return folderWith({
    "prompts.jsonl": prompts.join("\n"),
    "outcomes.jsonl": [...outcomes, other].join("\n"),
  });
}

const options = { name: "learned", builtAt: "2026-01-02T00:00:00Z", seed: 7, embedder };
const expectedOn = async (folder: string, text: string) => {
  const { set } = await loadProfileSet(folder, { embedder });
  const vector = trafficVector(text);
  const { quality } = gatherEvidence(set, vector, set.index.search(vector, set.parameters.neighbours));
  return Object.fromEntries(set.models.map((model, column) => [model, quality[column] as number]));
};

let from: string;
let traffic: string;
beforeAll(async () => {
  from = await buildPlanted(WORLD);
});

const bytesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path.slice(folder.length)} ${readFileSync(path).toString("base64")}`);

describe("A set that learns from traffic", () => {
  it("expects on its prompts what the answers show, of the models that answered", async () => {
    traffic = await trafficFolder();
    const folder = join(folderForTest(), "learned");
    const before = await expectedOn(from, "ask 7");
    expect(before.large).toBeGreaterThan((before.middle as number) + 0.1);
    const { manifest, learned, unknownModels } = await updateSet(from, traffic, { ...options, folder });
    expect([manifest.anchors, learned.answers, unknownModels]).toEqual([1200, PROMPTS, ["unheard"]]);
    expect(manifest.sources.map(({ name, anchors }) => [name, anchors])).toEqual([
      ["planted", 600],
      ["traffic", PROMPTS],
    ]);
    const after = await expectedOn(folder, "ask 7");
    expect(Math.abs((after.large as number) - 0.3)).toBeLessThan(0.1);
    expect(after.middle).toBeGreaterThan((after.large as number) + 0.25);
  }, 60_000);

  it("has no recommended cost weight, as that of the old set was chosen on other decisions", async () => {
    const tuned = await buildPlanted(WORLD);
    const recommended = { cost_weight: 0.3, rule: "knee", limit: null, prompts: 50 } as const;
    await saveRecommendedWeight(tuned, { ...recommended, saved_at: "2026-01-02T00:00:00Z" });
    const folder = join(folderForTest(), "learned");
    await updateSet(tuned, await trafficFolder(), { ...options, folder });
    const loadedFrom = (set: string) => loadProfileSet(set, {});
    expect(recommendedWeightOf(await loadedFrom(tuned))?.cost_weight).toBe(0.3);
    expect(recommendedWeightOf(await loadedFrom(folder))).toBeNull();
  }, 60_000);

  it("keeps what the old set knew, leaves that set as it was, and has the same bytes when it is made again", async () => {
    traffic = await trafficFolder();
    const old = bytesOf(from);
    const [first, again] = [join(folderForTest(), "first"), join(folderForTest(), "first")];
    await updateSet(from, traffic, { ...options, folder: first });
    await updateSet(from, traffic, { ...options, folder: again });
    expect(bytesOf(first)).toEqual(bytesOf(again));
    expect(bytesOf(from)).toEqual(old);
    const [before, after] = [await openPlaceableSet(from), await openPlaceableSet(first)];
    const topics = before.manifest.topics.length;
    expect(after.manifest.topics.slice(0, topics)).toEqual(before.manifest.topics);
    expect(after.facts.level_quality.slice(0, 600)).toEqual(before.facts.level_quality);
    for (const [index, { profile }] of before.profiles.entries()) {
      const extended = after.profiles[index]?.profile;
      expect(extended?.skill.slice(0, topics)).toEqual(profile.skill);
      expect(extended?.quality.slice(0, profile.quality.length)).toEqual(profile.quality);
    }
  }, 60_000);

  it("can learn again, from another source", async () => {
    traffic = await trafficFolder();
    const [once, twice] = [join(folderForTest(), "once"), join(folderForTest(), "twice")];
    await updateSet(from, traffic, { ...options, folder: once });
    const { manifest } = await updateSet(once, traffic, { ...options, folder: twice });
    expect(manifest.sources.map(({ name }) => name)).toEqual(["planted", "traffic", "traffic-2"]);
  }, 60_000);

  it("leaves the set in its place as it was when it is stopped", async () => {
    traffic = await trafficFolder();
    const folder = join(folderForTest(), "learned");
    await updateSet(from, traffic, { ...options, folder });
    const before = bytesOf(folder);
    const stop = new AbortController();
    const stopped = updateSet(from, traffic, {
      ...{ ...options, folder, seed: 8, signal: stop.signal },
      onProgress: (step) => {
        if (step === "profiles") stop.abort(new Error("stopped"));
      },
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(bytesOf(folder)).toEqual(before);
    expect(existsSync(`${folder}.draft`)).toBe(false);
    // The next run goes on, and replaces it.
    await updateSet(from, traffic, { ...options, folder, seed: 8 });
    expect(bytesOf(folder)).not.toEqual(before);
    expect([`${folder}.draft`, `${folder}.partial`, `${folder}.old`].filter(existsSync)).toEqual([]);
  }, 60_000);

  it("can be stopped while expectations are computed", async () => {
    traffic = await trafficFolder();
    const folder = join(folderForTest(), "learned");
    const stop = new AbortController();
    const stopped = updateSet(from, traffic, {
      ...{ ...options, folder, signal: stop.signal },
      onProgress: (step) => {
        // As a signal of the process arrives: between two turns of the event loop.
        if (step === "expect") setImmediate(() => stop.abort(new Error("stopped")));
      },
    });
    await expect(stopped).rejects.toThrow("stopped");
    expect(existsSync(folder)).toBe(false);
  }, 60_000);

  it("is refused with another embedder", async () => {
    traffic = await trafficFolder();
    const other = { ...embedder, fingerprint: "cd".repeat(32) };
    const folder = join(folderForTest(), "learned");
    await expect(updateSet(from, traffic, { ...options, folder, embedder: other })).rejects.toMatchObject({
      name: "ProfileSetError",
    });
    expect(existsSync(folder)).toBe(false);
  });
});
