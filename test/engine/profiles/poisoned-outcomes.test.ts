import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import type { ModelOutcomes } from "../../../src/workbench/fitting/outcome-table.js";
import { evidenceAt, loadPlanted, type PlantedWorld, plantWorld } from "./planted-set.js";

const PROMPTS = 300;
/** Prompts of one of the six topics. */
const A_TOPIC = PROMPTS / 6;
const skill = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
const MODELS = [
  { model: "target", skill },
  { model: "other", skill: skill.map((chance) => chance - 0.1) },
  { model: "third", skill: skill.map((chance) => chance - 0.2) },
];

let world: PlantedWorld;
let clean: AnchorSet;

beforeAll(async () => {
  world = plantWorld(MODELS, { prompts: PROMPTS, seed: 5 });
  clean = await build((outcomes) => outcomes);
});

/** A set of the same prompts, with the outcomes of `target` changed, and the same parameters. */
function build(change: (outcomes: ModelOutcomes) => ModelOutcomes): Promise<AnchorSet> {
  const models = world.table.models.map((outcomes) =>
    outcomes.model === "target" ? change(outcomes) : outcomes,
  );
  return loadPlanted({ ...world, table: { ...world.table, models } });
}

/** Flips the outcomes on these prompts. */
const flipped =
  (prompts: readonly number[]) =>
  (outcomes: ModelOutcomes): ModelOutcomes => ({
    ...outcomes,
    quality: outcomes.quality.map((score, prompt) => (prompts.includes(prompt) ? 1 - score : score)),
  });

/** Largest change of a model's expected quality on any prompt of the set. */
function largestChange(poisoned: AnchorSet, model: string): number {
  const expectedIn = (set: AnchorSet, prompt: number): number =>
    evidenceAt(set, set.vectorOf(prompt)).quality[set.models.indexOf(model)] as number;
  const changes = Array.from({ length: PROMPTS }, (_, prompt) =>
    Math.abs(expectedIn(poisoned, prompt) - expectedIn(clean, prompt)),
  );
  return Math.max(...changes);
}

describe("Wrong outcomes among those that a set is built from", () => {
  it("move an estimate by at most four times one prompt's share of its topic each, and those of other models hardly", async () => {
    for (const prompt of [0, 4]) {
      const poisoned = await build(flipped([prompt]));
      expect(largestChange(poisoned, "target")).toBeGreaterThan(0.001);
      expect(largestChange(poisoned, "target")).toBeLessThan(4 / A_TOPIC);
      expect(largestChange(poisoned, "other")).toBeLessThan(0.15 / A_TOPIC);
    }
  });

  it("count once for a prompt, however many samples they claim to be the mean of", async () => {
    const heavy = await build((outcomes) => ({
      ...flipped([0])(outcomes),
      samples: outcomes.samples.map((samples, prompt) => (prompt === 0 ? 65_535 : samples)),
    }));
    const light = await build(flipped([0]));
    expect(largestChange(heavy, "target")).toBeCloseTo(largestChange(light, "target"), 6);
  });

  it("move estimates in proportion to their share: a tenth of them moves none by a quarter", async () => {
    const tenth = Array.from({ length: PROMPTS / 10 }, (_, index) => 10 * index);
    const moved = largestChange(await build(flipped(tenth)), "target");
    expect(moved).toBeGreaterThan(0.02);
    expect(moved).toBeLessThan(0.25);
    expect(largestChange(await build(flipped(tenth)), "other")).toBeLessThan(0.02);
  });
});
