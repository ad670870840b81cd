import { expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { findRelatives } from "../../../src/workbench/fitting/relatives.js";

/** Name, graded answers, and the model that it succeeds. */
type Given = readonly [name: string, answers: number, predecessor?: string];

const relativesOf = (...models: readonly Given[]) =>
  Object.fromEntries(
    findRelatives(
      models.map(([model, answers, predecessor = null]) => ({
        model,
        answers,
        description: { ...describeByName(model), predecessor },
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

it("The relative of a model is the one that it succeeds", () => {
  const found = relativesOf(
    ["opus-4-7", 704],
    ["opus-4-7:high", 900],
    ["opus-5", 37, "opus-4-7"],
    ["opus-5-5", 0, "opus-5"],
    ["haiku-5", 0],
  );
  expect(found).toEqual({
    "opus-5-5": { model: "opus-5", levels: 0, generations: 1 },
    "opus-5": { model: "opus-4-7", levels: 0, generations: 1 },
  });
});

it("The relative of a model is its successor when that one has been graded and the one before has not", () => {
  const relatives = (answers: number) =>
    relativesOf(["glm-4.5", answers], ["glm-4.6", 6, "glm-4.5"], ["glm-4.7", 675, "glm-4.6"]);
  expect(relatives(20)).toEqual({ "glm-4.6": { model: "glm-4.7", levels: 0, generations: -1 } });
  expect(relatives(141)).toEqual({ "glm-4.6": { model: "glm-4.5", levels: 0, generations: 1 } });
});

it("Models with many answers, and without a predecessor, have no relative", () => {
  expect(relativesOf(["gpt-5.2", 773], ["gpt-5.4", 797, "gpt-5.2"], ["own-1", 0], ["own-2", 0])).toEqual({});
});
