import { expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { findRelatives, lineOf } from "../../../src/workbench/fitting/relatives.js";

/** Name, graded answers, and date of release. */
type Given = readonly [name: string, answers: number, released?: string];

const relativesOf = (...models: readonly Given[]) =>
  Object.fromEntries(
    findRelatives(
      models.map(([model, answers, released = null]) => ({
        model,
        answers,
        description: { ...describeByName(model), released },
      })),
    ),
  );

it("The relative of a model is the effort of the same model that has the most answers", () => {
  expect(relativesOf(["gpt-5.6-sol", 150], ["gpt-5.6-sol:high", 700])).toEqual({
    "gpt-5.6-sol": { model: "gpt-5.6-sol:high", levels: -1, generations: 0 },
  });
});

it("The relative of a model is the next effort toward the one with the most answers", () => {
  const found = relativesOf(["m:max", 0], ["m:none", 0], ["m:high", 0], ["m:low", 300]);
  expect(found).toEqual({
    "m:max": { model: "m:high", levels: 0.25, generations: 0 },
    "m:high": { model: "m:low", levels: 0.55, generations: 0 },
    "m:none": { model: "m:low", levels: -0.45, generations: 0 },
  });
});

it("The relative of a model is the release before it in its line", () => {
  const found = relativesOf(
    ["claude-opus-4-7", 704, "2026-02-01"],
    ["claude-opus-5", 37, "2026-06-01"],
    ["claude-opus-5-5", 0, "2026-10-01"],
    ["claude-haiku-5", 0, "2026-10-01"],
  );
  expect(found).toEqual({
    "claude-opus-5-5": { model: "claude-opus-5", levels: 0, generations: 1 },
    "claude-opus-5": { model: "claude-opus-4-7", levels: 0, generations: 1 },
  });
});

it("The relative of a model is the release after it when that one has been graded and the one before has not", () => {
  const found = relativesOf(
    ["glm-4.5", 20, "2025-07-01"],
    ["glm-4.6", 6, "2025-09-01"],
    ["glm-4.7", 675, "2025-12-01"],
  );
  expect(found).toEqual({ "glm-4.6": { model: "glm-4.7", levels: 0, generations: -1 } });
});

it("Models with many answers, and without a date of release, have no relative", () => {
  const many: readonly Given[] = [
    ["gpt-5.2", 773, "2025-12-01"],
    ["gpt-5.4", 797, "2026-03-01"],
  ];
  expect(relativesOf(...many, ["own-1", 0], ["own-2", 0])).toEqual({});
});

it.each([
  ["claude-opus-4-8", "claude-opus"],
  ["gpt-5.6-sol", "gpt-sol"],
  ["kimi-k2.6", "kimi-k"],
  ["deepseek-v4-flash-0731", "deepseek-v-flash"],
  ["qwen3-32b", "qwen-32b"],
  ["gpt-4o-mini", "gpt-4o-mini"],
])("The line of %s is %s", (base, line) => {
  expect(lineOf(base)).toBe(line);
});
