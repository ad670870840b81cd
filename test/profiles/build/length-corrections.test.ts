import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/estimation/anchor-set.js";
import { lengthCorrections } from "../../../src/profiles/build/length-corrections.js";
import { loadProfileSet } from "../../../src/profiles/load.js";
import { buildPlanted, type PlantedWorld, plantWorld } from "../planted-set.js";

const SKILL = [0.9, 0.8, 0.6, 0.6, 0.4, 0.3];
const PROMPTS = 300;

let world: PlantedWorld;
let set: AnchorSet;

beforeAll(async () => {
  world = plantWorld(
    [
      { model: "long", skill: SKILL, tokensOut: 799 },
      { model: "short", skill: SKILL, tokensOut: 99 },
      { model: "silent", skill: SKILL },
    ],
    { prompts: PROMPTS, seed: 5 },
  );
  set = (await loadProfileSet(await buildPlanted(world), { hasPrice: () => true })).set;
});

/** An estimator that expects the same of every prompt. */
const expecting = (lengths: Readonly<Record<string, number>>) => () => ({
  quality: new Float64Array(set.models.length),
  length: Float64Array.from(set.models, (model) => lengths[model] ?? 0),
});

describe("The correction of expected lengths", () => {
  it("is the ratio of measured to expected length, shrunk by ten answers' worth of prior", () => {
    const gather = expecting({ long: 999, short: 79, silent: 7 });
    const found = lengthCorrections(set, { table: world.table, kind: "tokens", gather });
    expect(found.get("long")).toBeCloseTo((800 * (PROMPTS + 10)) / (1_000 * PROMPTS + 800 * 10), 5);
    expect(found.get("short")).toBeCloseTo((100 * (PROMPTS + 10)) / (80 * PROMPTS + 100 * 10), 5);
  });

  it("is limited to between two thirds and one and a half", () => {
    const gather = expecting({ long: 7_999, short: 9 });
    const found = lengthCorrections(set, { table: world.table, kind: "tokens", gather });
    expect(found.get("long")).toBeCloseTo(1 / 1.5, 9);
    expect(found.get("short")).toBe(1.5);
  });

  it("is absent for a model without measurements", () => {
    const gather = expecting({ silent: 7 });
    expect(lengthCorrections(set, { table: world.table, kind: "tokens", gather }).get("silent")).toBe(1);
    expect(lengthCorrections(set, { table: world.table, kind: "cost", gather }).get("long")).toBe(1);
  });

  it("excludes the anchor that it is evaluated at", () => {
    const nearest: number[] = [];
    const gather: Parameters<typeof lengthCorrections>[1]["gather"] = (
      _,
      vector,
      { anchors, similarities },
    ) => {
      nearest.push(similarities.length);
      for (const anchor of anchors) expect(set.vectorOf(anchor)).not.toEqual(vector);
      return expecting({ long: 799, short: 99 })();
    };
    lengthCorrections(set, { table: world.table, kind: "tokens", gather });
    expect(nearest).toHaveLength(PROMPTS);
  });
});
