import { describe, expect, it } from "vitest";
import type { Decision, RouteRequest } from "../../../src/engine/router/decision.js";
import { REWORDING_KINDS, rewordingsOf } from "../../../src/workbench/evaluation/rewordings.js";
import { measureStability } from "../../../src/workbench/evaluation/stability.js";
import { plantedPrompts } from "./planted.js";

describe("The rewordings of a text", () => {
  const text = "I have two lists of orders. Merge them by date. Which of them has more entries?";

  it("are the same for the same seed, and all different from the text", () => {
    const made = rewordingsOf(text, { seed: 3 });
    expect(made.map(({ kind }) => kind)).toEqual(REWORDING_KINDS);
    expect(rewordingsOf(text, { seed: 3 })).toEqual(made);
    expect(rewordingsOf(text, { seed: 4 })).not.toEqual(made);
    expect(new Set([text, ...made.map((wording) => wording.text)]).size).toBe(6);
  });

  it("are typos, another case, other spaces, polite phrases and another order", () => {
    const made = new Map(rewordingsOf(text, { seed: 3 }).map((wording) => [wording.kind, wording.text]));
    expect(made.get("typos")?.length).toBeGreaterThan(text.length - 8);
    expect(made.get("case")).toBe(text.toLowerCase().slice(0, -1));
    expect(made.get("spaces")?.split(/\s+/)).toEqual(text.split(" "));
    expect(made.get("polite")).toContain(text);
    expect(made.get("order")).toBe(
      "Which of them has more entries? I have two lists of orders. Merge them by date.",
    );
  });

  it("leave the order of one sentence, of code and of documents as it is", () => {
    const kindsOf = (asked: string) => rewordingsOf(asked, { seed: 0 }).map(({ kind }) => kind);
    expect(kindsOf("Name the capital of Peru.")).not.toContain("order");
    expect(kindsOf("Explain this. \nconst a = 1;\nWhat is a?")).not.toContain("order");
    expect(kindsOf("One fact. ".repeat(20))).not.toContain("order");
  });
});

/** Chooses "small" for texts that match; costs and expectations are those of the planted prompts. */
const router = (isSmall: RegExp) => ({
  routeMany: async (requests: readonly RouteRequest[]) =>
    requests.map(({ messages }) => {
      const text = String(messages[0]?.content);
      const selectedModel = isSmall.test(text) ? "small" : "large";
      const candidates = ["large", "small"].map((model) => ({
        ...{ model, expectedQuality: model === "large" ? 0.9 : 0.7 },
      }));
      return {
        ...{ selectedModel, candidates, expectedCostUsd: selectedModel === "small" ? 0.001 : 0.01 },
      } as unknown as Decision;
    }),
});

describe("The stability of decisions", () => {
  it("is that of every wording when none changes the choice", async () => {
    const found = await measureStability(router(/never/), plantedPrompts(), { costWeight: 0.2, seed: 0 });
    expect(found).toMatchObject({
      ...{ prompts: 40, changed: { value: 0, low: 0, high: 0 }, changedPrompts: 0 },
      ...{ expectedQuality: 0, gradedQuality: 0, costRatio: 1, costFactor: 1 },
    });
    // Of single sentences without a capital: typos, spaces, polite.
    expect(found?.kinds.map(({ kind }) => kind)).toEqual(["typos", "spaces", "polite"]);
  });

  it("counts the changes, by kind, and what they cost the prompt", async () => {
    const graded = plantedPrompts();
    const prompts = graded.prompts.map((prompt) => ({ ...prompt, rewordings: ["in other words", "again"] }));
    const found = await measureStability(
      router(/in other words/),
      { ...graded, prompts },
      { costWeight: 0.2, seed: 0 },
    );
    expect(found).toMatchObject({ prompts: 40, rewordings: 200, changedPrompts: 1 });
    expect(found?.changed.value).toBeCloseTo(0.2, 9);
    expect(found?.kinds.at(-1)).toEqual({ kind: "given", rewordings: 80, changed: 0.5 });
    expect(found?.expectedQuality).toBeCloseTo(0.2 * -0.2, 9);
    // Half of the prompts are solved by the small one.
    expect(found?.gradedQuality).toBeCloseTo(0.2 * -0.5, 9);
    expect(found?.costRatio).toBeCloseTo((0.8 * 0.01 + 0.2 * 0.001) / 0.01, 9);
    expect(found?.costFactor).toBeCloseTo(10 ** 0.2, 9);
  });

  it("is measured on an even sample of many prompts", async () => {
    const found = await measureStability(router(/never/), plantedPrompts(1300), { costWeight: 0, seed: 0 });
    expect(found?.prompts).toBe(500);
  });

  it("is unknown where nothing can be reworded", async () => {
    const graded = { ...plantedPrompts(0) };
    expect(await measureStability(router(/never/), graded, { costWeight: 0, seed: 0 })).toBeNull();
  });
});
