import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { rm } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { ModelOutcomes } from "../../../src/profiles/build/outcome-table.js";
import { loadProfileSet } from "../../../src/profiles/load.js";
import { type GivenModel, placeNewModel } from "../../../src/profiles/placement/add-model.js";
import { noAnswers } from "../../../src/profiles/placement/given-evidence.js";
import { openPlaceableSet, type PlaceableSet } from "../../../src/profiles/placement/placeable-set.js";
import { dropModel, writeAddedProfile } from "../../../src/profiles/placement/profile-files.js";
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
  const { profiles } = await loadProfileSet(whole, { hasPrice: () => false });
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
  const all = SCORED.world.table.models.find((each) => each.model === model) as ModelOutcomes;
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

const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;

describe("a model that was not part of the build", () => {
  it.each(Object.entries(EVIDENCE))("placed by %s is where a full build has it, within its stated error", (_, evidence) => {
    const misses = missesBy(evidence);
    const within = (errors: number) => misses.filter(({ miss, error }) => miss <= errors * error).length;
    expect(within(1)).toBeGreaterThanOrEqual(0.5 * LEFT_OUT.length);
    expect(within(2)).toBeGreaterThanOrEqual(0.85 * LEFT_OUT.length);
  });

  it("is placed surer, and nearer, by scores and answers than by scores alone", () => {
    const [scores, both] = [missesBy(EVIDENCE.scores), missesBy(EVIDENCE.both)];
    scores.forEach(({ error }, place) => {
      expect(both[place]?.error).toBeLessThan(error);
    });
    expect(mean(both.map(({ miss }) => miss))).toBeLessThan(mean(scores.map(({ miss }) => miss)));
  });
});
