import { describe, expect, it } from "vitest";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { findRelatives, lineOf, type RelatedModel } from "../../../src/workbench/fitting/relatives.js";

function model(name: string, answers: number, released: string | null = null): RelatedModel {
  return { model: name, answers, description: { ...describeByName(name), released } };
}

describe("The relative of a model", () => {
  it("is the effort of the same model that has the most answers", () => {
    const found = findRelatives([model("gpt-5.6-sol", 150), model("gpt-5.6-sol:high", 700)]);
    expect(found).toEqual(
      new Map([["gpt-5.6-sol", { model: "gpt-5.6-sol:high", levels: -1, generations: 0 }]]),
    );
  });

  it("is the next effort toward the one with the most answers", () => {
    const found = findRelatives(
      ["m:max", "m:none", "m:high", "m:low"].map((name) => model(name, name === "m:low" ? 300 : 0)),
    );
    expect(found.get("m:max")).toMatchObject({ model: "m:high", levels: 0.25 });
    expect(found.get("m:high")).toMatchObject({ model: "m:low", levels: 0.55 });
    expect(found.get("m:none")).toMatchObject({ model: "m:low", levels: -0.45 });
    expect(found.has("m:low")).toBe(false);
  });

  it("is the release before it in its line", () => {
    const found = findRelatives([
      model("claude-opus-4-7", 704, "2026-02-01"),
      model("claude-opus-5", 37, "2026-06-01"),
      model("claude-opus-5-5", 0, "2026-10-01"),
      model("claude-haiku-5", 0, "2026-10-01"),
    ]);
    expect(found.get("claude-opus-5-5")).toEqual({ model: "claude-opus-5", levels: 0, generations: 1 });
    expect(found.get("claude-opus-5")).toEqual({ model: "claude-opus-4-7", levels: 0, generations: 1 });
    expect([...found.keys()]).toHaveLength(2);
  });

  it("is the release after it when that one has been graded and the one before has not", () => {
    const found = findRelatives([
      model("glm-4.5", 20, "2025-07-01"),
      model("glm-4.6", 6, "2025-09-01"),
      model("glm-4.7", 675, "2025-12-01"),
    ]);
    expect(found.get("glm-4.6")).toEqual({ model: "glm-4.7", levels: 0, generations: -1 });
    expect(found.has("glm-4.5")).toBe(false);
  });

  it("is nothing for models with many answers, and without a date of release", () => {
    const many = [model("gpt-5.2", 773, "2025-12-01"), model("gpt-5.4", 797, "2026-03-01")];
    expect(findRelatives([...many, model("own-1", 0), model("own-2", 0)]).size).toBe(0);
  });
});

describe("The line of a model", () => {
  it.each([
    ["claude-opus-4-8", "claude-opus"],
    ["gpt-5.6-sol", "gpt-sol"],
    ["kimi-k2.6", "kimi-k"],
    ["deepseek-v4-flash-0731", "deepseek-v-flash"],
    ["qwen3-32b", "qwen-32b"],
    ["gpt-4o-mini", "gpt-4o-mini"],
  ])("of %s is %s", (base, line) => {
    expect(lineOf(base)).toBe(line);
  });
});
