import { describe, expect, it } from "vitest";
import { UNKNOWN_FACTS } from "../../../bench/evidence/build-router.js";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";
import { paidAnswers } from "../../../bench/frontier/paid-answers.js";
import { meanPoints, type PromptResult, realOverExpected, savingOf } from "../../../bench/frontier/saving.js";

const point = (cost: number, quality: number) => ({ cost, quality });

describe("Paid answers", () => {
  const prompts = ["p1", "p2", "p3"].map((id) => ({ id, benchmark: "b", category: "", text: "1234" }));
  const cell = (prompt: number, model: string, costUsd: number | null, tokensOut: number | null = null) => ({
    prompt,
    model,
    score: 1,
    samples: 1,
    tokensIn: null,
    tokensOut,
    costUsd,
  });
  const price = { inputUsdPerMtok: 1, outputUsdPerMtok: 10 };
  const lookup = (model: string) => ({ ...UNKNOWN_FACTS, price: model === "unpriced" ? null : price });

  it("are those of models with enough of them, on the prompts that all these models answered", () => {
    const set: SparseSet = {
      name: "set",
      sha256: "",
      prompts,
      cells: [
        cell(0, "a", 1),
        cell(1, "a", 2),
        cell(2, "a", 3),
        cell(0, "b", 4),
        cell(1, "b", 5),
        cell(0, "rare", 6),
      ],
    };
    const found = paidAnswers(set, { lookup, coverage: 0.6 });
    expect(found).toMatchObject({ models: ["a", "b"], promptIndexes: [0, 1], source: "recorded" });
    expect(found.costUsd).toEqual([
      [1, 4],
      [2, 5],
    ]);
  });

  it("cost their recorded tokens at list prices where no dollars were recorded", () => {
    const set: SparseSet = {
      name: "set",
      sha256: "",
      prompts,
      cells: [cell(0, "a", null, 100), cell(0, "b", null, 200), cell(0, "unpriced", null, 1)],
    };
    const found = paidAnswers(set, { lookup, coverage: 0.5 });
    expect(found.models).toEqual(["a", "b"]);
    expect(found.source).toBe("listed");
    // Four characters a token, and four tokens around the message.
    expect(found.costUsd[0]?.[0]).toBeCloseTo((5 * 1 + 100 * 10) / 1e6);
  });

  it("are unknown of a model that thinks where the recorded tokens leave out its hidden reasoning", () => {
    const set: SparseSet = {
      name: "set",
      sha256: "",
      prompts,
      lengths: "visible",
      cells: [cell(0, "gpt-4o", null, 100), cell(0, "gpt-4.1", null, 200), cell(0, "o3-mini", null, 1)],
    };
    expect(paidAnswers(set, { lookup, coverage: 0.5 }).models).toEqual(["gpt-4.1", "gpt-4o"]);
  });
});

describe("The saving", () => {
  /** Two kinds of prompts: the cheap model does one as well as the expensive one, and fails the other. */
  const results = Array.from({ length: 100 }, (_, prompt): PromptResult => {
    const cheap = point(1, prompt % 2);
    const expensive = point(10, 1);
    const settings = [expensive, prompt % 2 === 1 ? cheap : expensive, cheap];
    return { settings, models: [cheap, expensive] };
  });

  it("is that of the cheapest setting at most one point below the best single model", () => {
    expect(meanPoints(results, "settings")).toEqual([point(10, 1), point(5.5, 1), point(1, 0.5)]);
    expect(savingOf(results, "router")).toBeCloseTo(0.45);
    expect(savingOf(results, "single")).toBeCloseTo(0);
    // The hull from (1, .5) to (10, 1) reaches .99 at 9.82.
    expect(savingOf(results, "mixed")).toBeCloseTo(0.018);
  });
});

describe("Dollars over the expected", () => {
  it("are those of the choices of a setting, in sum", () => {
    const result = (cost: number, expectedUsd: number): PromptResult => ({
      settings: [
        { ...point(9, 1), expectedUsd: 9 },
        { ...point(cost, 1), expectedUsd },
      ],
      models: [point(1, 1)],
    });
    expect(realOverExpected([result(1, 2), result(5, 1)], 1)).toBe(2);
    expect(realOverExpected([result(1, 2), result(5, 1)], 0)).toBe(1);
  });
});
