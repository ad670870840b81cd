import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { encodeManifest, MANIFEST_FILE } from "../../../src/engine/profiles/manifest.js";
import type { ModelOutcomes } from "../../../src/workbench/fitting/outcome-table.js";
import { type GivenModel, placeNewModel } from "../../../src/workbench/placement/add-model.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { openPlaceableSet, type PlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { dropModel, writeAddedProfile } from "../../../src/workbench/placement/profile-files.js";
import { buildScored, plantScoredWorld } from "./planted-scores.js";

const SCORED = plantScoredWorld(13);
const LEFT_OUT = SCORED.models.filter((model) => /-[258]$/.test(model));

interface Built {
  readonly set: PlaceableSet;
  /** Expected quality and its error of each model by a build with all models. */
  readonly full: ReadonlyMap<string, { readonly overall_quality: number; readonly overall_error: number }>;
}

let built: Built;

beforeAll(async () => {
  const without = await buildScored(SCORED, (model) => !LEFT_OUT.includes(model));
  const whole = await buildScored(SCORED, () => true);
  const { profiles } = await loadProfileSet(whole, {});
  built = {
    set: await openPlaceableSet(without),
    full: new Map(profiles.map(({ facts }) => [facts.model, facts])),
  };
  await rm(dirname(whole), { recursive: true });
  return () => rm(dirname(without), { recursive: true });
});

const scoresOf = (model: string): GivenModel["scores"] =>
  SCORED.scores
    .filter((score) => score.model === model)
    .map(({ benchmark, score, source, date }) => ({ benchmark, score, source, date }));

/** The first answers of a model, five a topic. */
function answersOf(model: string, count: number): ModelOutcomes {
  const all = SCORED.world.table.models.find((outcomes) => outcomes.model === model) as ModelOutcomes;
  return {
    ...all,
    anchors: all.anchors.slice(0, count),
    quality: all.quality.slice(0, count),
    samples: all.samples.slice(0, count),
    tokensOut: all.tokensOut.slice(0, count),
    costUsd: all.costUsd.slice(0, count),
  };
}

const nothing = (model: string): GivenModel => ({
  model,
  scores: [],
  outcomes: noAnswers(model).outcomes,
  own: [],
  facts: {},
});

const EVIDENCE = {
  scores: (model: string) => ({ ...nothing(model), scores: scoresOf(model) }),
  answers: (model: string) => ({ ...nothing(model), outcomes: answersOf(model, 30) }),
  both: (model: string) => ({ ...nothing(model), scores: scoresOf(model), outcomes: answersOf(model, 30) }),
};

/** Of the left-out models: how far each is from the full build, and the stated error. */
function missesBy(evidence: (model: string) => GivenModel) {
  return LEFT_OUT.map((model) => {
    const { facts } = placeNewModel(built.set, evidence(model)).profile;
    const full = built.full.get(model);
    if (full === undefined) throw new Error(`${model} was not built`);
    return { miss: Math.abs(facts.overall_quality - full.overall_quality), error: facts.overall_error };
  });
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("A model that was not part of the build", () => {
  it.each(Object.entries(EVIDENCE))(
    "is placed by %s where a full build has it, within its stated error",
    (_, evidence) => {
      const misses = missesBy(evidence);
      const within = (errors: number) => misses.filter(({ miss, error }) => miss <= errors * error).length;
      expect(within(1)).toBeGreaterThanOrEqual(0.5 * LEFT_OUT.length);
      expect(within(2)).toBeGreaterThanOrEqual(0.85 * LEFT_OUT.length);
    },
  );

  it("is placed with a smaller error, and nearer, by scores and answers than by scores alone", () => {
    const [scores, both] = [missesBy(EVIDENCE.scores), missesBy(EVIDENCE.both)];
    scores.forEach(({ error }, index) => {
      expect(both[index]?.error).toBeLessThan(error);
    });
    expect(mean(both.map(({ miss }) => miss))).toBeLessThan(mean(scores.map(({ miss }) => miss)));
  });
});

describe("Other evidence for a placed model", () => {
  const model = "euler-2";
  const placeModel = (given: Partial<GivenModel>) =>
    placeNewModel(built.set, { ...nothing(model), ...given });

  it("includes a mean over a topic of the set, which counts as answers there", () => {
    const score = (value: number) => [{ benchmark: "topic-4", score: value, source: "us", date: null }];
    const [low, high] = [placeModel({ scores: score(0.1) }), placeModel({ scores: score(0.9) })].map(
      ({ profile }) => profile.table.quality.at(-2) as number,
    );
    expect(low).toBeLessThan(0.3);
    expect(high).toBeGreaterThan(0.7);
  });

  it("includes answers to other prompts, with expectations from the anchors near them, but not prompts far from all", () => {
    const near = SCORED.world.topics[2] as Float32Array;
    const own = (score: number) => [
      ...Array.from({ length: 20 }, () => ({ vector: near, score })),
      { vector: new Float32Array(near.length), score },
    ];
    const [failed, solved] = [placeModel({ own: own(0) }), placeModel({ own: own(1) })];
    expect(failed.ownLeftOut).toBe(1);
    expect(failed.profile.facts.own_answers).toBe(20);
    const onTopic = ({ profile }: typeof failed) => profile.table.quality.at(-4) as number;
    expect(onTopic(failed)).toBeLessThan(onTopic(placeModel({})) - 0.1);
    expect(onTopic(solved)).toBeGreaterThan(onTopic(placeModel({})) + 0.1);
  });

  it("includes a known model of which it is a version", () => {
    const models = built.set.profiles.map(({ profile }) => profile.facts);
    const best = models.reduce((most, candidate) =>
      candidate.overall_quality > most.overall_quality ? candidate : most,
    );
    const worst = models.reduce((most, candidate) =>
      candidate.overall_quality < most.overall_quality ? candidate : most,
    );
    const like = (name: string) => placeModel({ facts: { like: name } }).profile.facts.overall_quality;
    expect(like(best.model)).toBeGreaterThan(like(worst.model) + 0.1);
  });

  it("expects bills by its own answers, or otherwise the usual ones", () => {
    const own = answersOf(model, 30);
    const long = { ...own, tokensOut: own.tokensOut.map(() => 3000) };
    const ability = (given: Partial<GivenModel>) =>
      placeModel(given).profile.facts.bill?.ability ?? Number.NaN;
    expect(ability({})).toBe(0);
    // A code is the fourth root of a ratio: one octave more is sixteen times as expensive.
    expect(ability({ outcomes: long })).toBeGreaterThan(0.4);
    expect(ability({ outcomes: long })).toBeLessThan(1);
  });
});

describe("The files of a set with an added model", () => {
  const model = "cuvier-5";
  const placed = () => placeNewModel(built.set, EVIDENCE.both(model));
  const versionOf = async () => (await loadProfileSet(built.set.folder, {})).set.version;

  it("are the same to the byte for the same evidence", () => {
    expect(Buffer.from(placed().bytes).equals(placed().bytes)).toBe(true);
  });

  it("contain the added model until it is dropped, which restores the bytes and the version", async () => {
    const { folder, manifest } = built.set;
    const [before, version] = [await filesOf(folder), await versionOf()];
    await writeAddedProfile(folder, manifest, { model, bytes: placed().bytes });
    const { set, profiles } = await loadProfileSet(folder, {});
    expect(set.models).toContain(model);
    expect(set.version).not.toBe(version);
    expect(profiles.find(({ facts }) => facts.model === model)?.facts).toMatchObject({ scored: 30 });
    await dropModel(folder, model, { builtIn: "keep" });
    expect(await filesOf(folder)).toEqual(before);
    expect(await versionOf()).toBe(version);
  });

  it("make an added model a candidate also where only served models of the build are candidates", async () => {
    const { folder, manifest } = built.set;
    const path = join(folder, MANIFEST_FILE);
    await writeFile(path, encodeManifest({ ...manifest, candidates: "served" }));
    await writeAddedProfile(folder, manifest, { model, bytes: placed().bytes });
    const { set } = await loadProfileSet(folder, {
      includes: (_, { candidates }) => candidates === "all",
    });
    await dropModel(folder, model, { builtIn: "keep" });
    await writeFile(path, encodeManifest(manifest));
    expect(set.models).toEqual([model]);
  });

  it("are told nothing more by a price beyond those of the set, nor by a date more than a year later", () => {
    const models = new Map(built.set.abilities.models);
    const known = models.get("ada-1");
    if (known === undefined) throw new Error("the planted set has no ada-1");
    models.set("ada-1", { ...known, outputUsdPerMtok: 600, released: "2026-03-01" });
    const { abilities } = built.set;
    const weights = abilities.prior.weights.map(() => 0.2);
    const set = { ...built.set, abilities: { ...abilities, models, prior: { ...abilities.prior, weights } } };
    const quality = (facts: GivenModel["facts"]) =>
      placeNewModel(set, { ...nothing("newcomer"), facts }).profile.facts.overall_quality;
    const mostExpensive = quality({ outputUsdPerMtok: 600 });
    expect(quality({ outputUsdPerMtok: 1e9 })).toBe(mostExpensive);
    expect(quality({ released: "9999-12-31" })).toBe(quality({ released: "2027-03-01" }));
  });

  it("are refused with a figure that the loader would refuse", () => {
    const averageSkill = built.set.abilities.averageSkill.map(() => -1000);
    const set = { ...built.set, abilities: { ...built.set.abilities, averageSkill } };
    expect(() => placeNewModel(set, nothing("newcomer"))).toThrow(
      /"newcomer" cannot be placed by what is given: skill has the value \d+.*, outside -50 to 50\. Check its scores, date and price\./,
    );
  });

  it("lose a model of the build only on demand, and then load without it", async () => {
    const { folder } = built.set;
    await expect(dropModel(folder, "ada-1", { builtIn: "keep" })).rejects.toThrow(
      '"ada-1" came with set "planted" and was not added to it; use `builtIn` to drop it',
    );
    await expect(dropModel(folder, "ada-11", { builtIn: "keep" })).rejects.toThrow(
      '"ada-11" is no model of set "planted"; did you mean "ada-1"',
    );
    await dropModel(folder, "ada-1", { builtIn: "drop" });
    const { set } = await loadProfileSet(folder, {});
    expect(set.models).not.toContain("ada-1");
  });
});

async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
    one.isFile(),
  );
  const contents = names.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, await readFile(path, "base64")] as const;
  });
  return Object.fromEntries(await Promise.all(contents));
}
