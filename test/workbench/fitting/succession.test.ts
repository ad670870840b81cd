import { expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import type { ModelProfile } from "../../../src/engine/profiles/model-profile.js";
import { predecessorOf, type Raise, raiseOf } from "../../../src/workbench/fitting/succession.js";

const describeModel = (model: string) => ({
  ...describeByName(model),
  predecessor: model.startsWith("lion-2") ? "lion-1" : null,
});

it.each([
  ["at its default effort", "lion-2", "lion-1", null],
  ["at the same effort", "lion-2:high", "lion-1:high", null],
  ["unless it stopped to think unasked", "lion-2", undefined, "medium"],
  ["unless it succeeds none", "lion-1", undefined, null],
])("A model is compared with its predecessor %s", (_, model, predecessor, thinking) => {
  const describe = (name: string) => ({ ...describeModel(name), ...(name === "lion-1" ? { thinking } : {}) });
  expect(predecessorOf(describe(model), describe)).toBe(predecessor);
});

/** A model a tenth of which was graded, and whose expectation without a raise is this. */
function factsOf(model: string, { quality, error }: Record<"quality" | "error", number>, raised?: Raise) {
  const by = raised?.by ?? 0;
  const elsewhere = 1 / (1 + (1 / quality - 1) * Math.exp(-by));
  const overall = { overall_quality: 0.1 * quality + 0.9 * elsewhere, overall_error: error };
  return { model, ...overall, general_skill: 10 * quality + by } as ModelProfile["facts"];
}

it.each([
  ["raised to its predecessor's level where it is below it by less than evidence shows", 0.8, 0.04, 0.85],
  ["left where it is above its predecessor, whose successor it is", 0.86, 0.04, 0.86],
  ["left where evidence shows that it is worse", 0.8, 0.01, 0.8],
])("A successor is %s", (_, quality, error, level) => {
  const overallAt = (raised?: Raise) => factsOf("lion-2", { quality, error }, raised);
  const predecessor = factsOf("lion-1", { quality: 0.85, error: 0.01 });
  for (const skill of [predecessor.general_skill, 0]) {
    const raised = raiseOf(overallAt, { ...predecessor, general_skill: skill });
    expect(overallAt(raised).overall_quality).toBeGreaterThanOrEqual(level - 1e-12);
    if (skill === 0) expect(overallAt(raised).overall_quality).toBeCloseTo(level, 5);
    else expect(overallAt(raised).general_skill).toBeGreaterThanOrEqual(Math.min(skill, 10 * level));
    expect(raised?.to).toBe(quality === 0.8 && error === 0.01 ? undefined : "lion-1");
  }
});
