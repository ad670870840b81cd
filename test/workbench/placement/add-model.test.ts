import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import { encodeManifest, MANIFEST_FILE } from "../../../src/engine/profiles/manifest.js";
import type { ModelProfile } from "../../../src/engine/profiles/model-profile.js";
import type { ModelOutcomes } from "../../../src/workbench/fitting/outcome-table.js";
import { type GivenModel, placeNewModel } from "../../../src/workbench/placement/add-model.js";
import { noAnswers } from "../../../src/workbench/placement/given-evidence.js";
import { meanOverTypical } from "../../../src/workbench/placement/place-lengths.js";
import { openPlaceableSet, type PlaceableSet } from "../../../src/workbench/placement/placeable-set.js";
import { dropModel, writeAddedProfile } from "../../../src/workbench/placement/profile-files.js";
import { folderForTest, folderForTests } from "../../support/folders.js";
import { filesOf } from "../files-of.js";
import { buildScored, plantScoredWorld } from "./planted-scores.js";

const SCORED = plantScoredWorld(13);
const LEFT_OUT = SCORED.models.filter((model) => /-[258]$/.test(model));

const folder = folderForTests();
/** Of a build without some of the models; never changed. */
let set: PlaceableSet;
/** The models of a build with all of them. */
let full: readonly { readonly model: string; readonly overall_quality: number }[];

beforeAll(async () => {
  await buildScored(SCORED, {
    folder: join(folder, "without"),
    includes: (model) => !LEFT_OUT.includes(model),
  });
  await buildScored(SCORED, { folder: join(folder, "whole"), includes: () => true });
  full = (await loadProfileSet(join(folder, "whole"), {})).profiles.map(({ facts }) => facts);
  set = await openPlaceableSet(join(folder, "without"));
});

const scoresOf = (model: string): GivenModel["scores"] =>
  SCORED.scores
    .filter((score) => score.model === model)
    .map(({ benchmark, score, source, date }) => ({ benchmark, score, source, date }));

/** Thirty answers of a model, five a topic. */
function answersOf(model: string): ModelOutcomes {
  const all = SCORED.world.table.models.find((outcomes) => outcomes.model === model) as ModelOutcomes;
  const { anchors, quality, samples, tokensOut, costUsd } = all;
  return {
    ...all,
    anchors: anchors.slice(0, 30),
    quality: quality.slice(0, 30),
    samples: samples.slice(0, 30),
    tokensOut: tokensOut.slice(0, 30),
    costUsd: costUsd.slice(0, 30),
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
  answers: (model: string) => ({ ...nothing(model), outcomes: answersOf(model) }),
  both: (model: string) => ({ ...nothing(model), scores: scoresOf(model), outcomes: answersOf(model) }),
};

/** Of the left-out models: how far each is from the full build, and the stated error. */
const missesBy = (evidence: (model: string) => GivenModel) =>
  full
    .filter(({ model }) => LEFT_OUT.includes(model))
    .map(({ model, overall_quality: quality }) => {
      const { facts } = placeNewModel(set, evidence(model)).profile;
      return { miss: Math.abs(facts.overall_quality - quality), error: facts.overall_error };
    });

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
});

describe("Other evidence for a placed model", () => {
  const model = "euler-2";
  const placeModel = (given: Partial<GivenModel>) => placeNewModel(set, { ...nothing(model), ...given });

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
    const ranked = set.profiles
      .map(({ profile }) => profile.facts)
      .toSorted((a, b) => a.overall_quality - b.overall_quality);
    const [worst, best] = [ranked[0]?.model ?? "", ranked.at(-1)?.model ?? ""];
    const like = (name: string) => placeModel({ facts: { like: name } }).profile.facts.overall_quality;
    expect(like(best)).toBeGreaterThan(like(worst) + 0.1);
  });

  it("does not put it below the model that it succeeds, unless enough of it does", () => {
    const best = set.profiles
      .map(({ profile: { facts } }) => facts)
      .reduce((a, b) => (b.overall_quality > a.overall_quality ? b : a));
    const failed = (answers: number) => {
      const own = Array.from({ length: answers }, (_, at) => ({
        vector: SCORED.world.topics[at % 6] as Float32Array,
        score: 0,
      }));
      return placeModel({ own, facts: { like: best.model } }).profile.facts;
    };
    expect(failed(3).predecessor).toBe(best.model);
    expect(failed(3).overall_quality).toBeGreaterThanOrEqual(best.overall_quality);
    expect(failed(3).overall_quality).toBeLessThan(best.overall_quality + 0.05);
    expect(failed(60).predecessor).toBeUndefined();
    expect(failed(60).overall_quality).toBeLessThan(best.overall_quality - 0.1);
  });

  it("expects bills by its own answers, or otherwise the usual ones", () => {
    const own = answersOf(model);
    const long = { ...own, tokensOut: own.tokensOut.map(() => 3000) };
    const ability = (given: Partial<GivenModel>) =>
      placeModel(given).profile.facts.bill?.ability ?? Number.NaN;
    expect(ability({})).toBe(0);
    // A code is the fourth root of a ratio: one octave more is sixteen times as expensive.
    expect(ability({ outcomes: long })).toBeGreaterThan(0.4);
    expect(ability({ outcomes: long })).toBeLessThan(1);
  });
});

it("The bills of a placed model are means by the factor of the model it is like, else by the median of those measured", () => {
  const profileOf = (smear: number, codes?: readonly number[]) =>
    ({ facts: { bill: { smear, correction: 1 } }, bill: { codes } }) as unknown as ModelProfile;
  const profiles = [profileOf(9), profileOf(2, []), profileOf(4, []), profileOf(3, [])];
  expect(meanOverTypical(profiles, undefined)).toBe(3);
  expect(meanOverTypical(profiles, profiles[0])).toBe(9);
});

describe("The files of a set with an added model", () => {
  const model = "cuvier-5";
  const placed = () => placeNewModel(set, EVIDENCE.both(model));

  /** A copy of the set, which the test changes. */
  let copy: string;
  beforeEach(() => {
    copy = join(folderForTest(), "planted");
    cpSync(set.folder, copy, { recursive: true });
  });
  const loaded = (options: Parameters<typeof loadProfileSet>[1] = {}) => loadProfileSet(copy, options);
  const add = () => writeAddedProfile(copy, set.manifest, { model, bytes: placed().bytes });

  it("contain the added model until it is dropped, which restores the bytes and the version", async () => {
    const [before, { set: old }] = [filesOf(copy), await loaded()];
    await add();
    const { set: now, profiles } = await loaded();
    expect(now.models).toContain(model);
    expect(now.version).not.toBe(old.version);
    expect(Buffer.from(placed().bytes).equals(placed().bytes)).toBe(true);
    expect(profiles.find(({ facts }) => facts.model === model)?.facts).toMatchObject({ scored: 30 });
    await dropModel(copy, model, { builtIn: "keep" });
    expect(filesOf(copy)).toEqual(before);
    expect((await loaded()).set.version).toBe(old.version);
  });

  it("make an added model a candidate also where only served models of the build are candidates", async () => {
    writeFileSync(join(copy, MANIFEST_FILE), encodeManifest({ ...set.manifest, candidates: "served" }));
    await add();
    const { set: now } = await loaded({ includes: (_, { candidates }) => candidates === "all" });
    expect(now.models).toEqual([model]);
  });

  it("are told nothing more by a price beyond those of the set, nor by a date more than a year later", () => {
    const { abilities } = set;
    const models = new Map(abilities.models);
    const known = models.get("ada-1") as NonNullable<ReturnType<typeof models.get>>;
    models.set("ada-1", { ...known, outputUsdPerMtok: 600, released: "2026-03-01" });
    const weights = abilities.prior.weights.map(() => 0.2);
    const changed = { ...set, abilities: { ...abilities, models, prior: { ...abilities.prior, weights } } };
    const quality = (facts: GivenModel["facts"]) =>
      placeNewModel(changed, { ...nothing("newcomer"), facts }).profile.facts.overall_quality;
    expect(quality({ outputUsdPerMtok: 1e9 })).toBe(quality({ outputUsdPerMtok: 600 }));
    expect(quality({ released: "9999-12-31" })).toBe(quality({ released: "2027-03-01" }));
  });

  it("are refused with a figure that the loader would refuse", () => {
    const averageSkill = set.abilities.averageSkill.map(() => -1000);
    const changed = { ...set, abilities: { ...set.abilities, averageSkill } };
    expect(() => placeNewModel(changed, nothing("newcomer"))).toThrow(
      /"newcomer" cannot be placed by what is given: skill has the value \d+.*, outside -50 to 50\. Check its scores, date and price\./,
    );
  });

  it("lose a model of the build only on demand, and then load without it", async () => {
    await expect(dropModel(copy, "ada-1", { builtIn: "keep" })).rejects.toThrow(
      '"ada-1" came with set "planted" and was not added to it; use `builtIn` to drop it',
    );
    await expect(dropModel(copy, "ada-11", { builtIn: "keep" })).rejects.toThrow(
      '"ada-11" is not a model of set "planted"; did you mean "ada-1"',
    );
    await dropModel(copy, "ada-1", { builtIn: "drop" });
    expect((await loaded()).set.models).not.toContain("ada-1");
  });
});
