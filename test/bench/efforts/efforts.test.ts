import { describe, expect, it } from "vitest";
import { effortGroups, savingAgainst } from "../../../bench/efforts/measure.js";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";
import { COST_WEIGHTS } from "../../../bench/frontier/cross-validate.js";

const PROMPTS = 40;
const prompts = Array.from({ length: PROMPTS }, (_, id) => ({
  id: `p${id}`,
  benchmark: "b",
  category: "",
  text: "1234",
}));
const cells = (
  model: string,
  { score, costUsd, count = PROMPTS }: { score: number; costUsd: number | null; count?: number },
) =>
  Array.from({ length: count }, (_, prompt) => ({
    prompt,
    model,
    score,
    costUsd,
    samples: 1,
    tokensIn: null,
    tokensOut: null,
  }));

const set: SparseSet = {
  name: "set",
  sha256: "",
  prompts,
  cells: [
    ...cells("gpt-5.4", { score: 0.5, costUsd: 1 }),
    ...cells("gpt-5.4:xhigh", { score: 0.75, costUsd: 10, count: 30 }),
    ...cells("gpt-5.5", { score: 0.5, costUsd: 1 }),
    ...cells("gpt-5.5:high", { score: 0.5, costUsd: null }),
    ...cells("gpt-4.1", { score: 0.5, costUsd: 1 }),
    ...cells("o3-mini", { score: 0.5, costUsd: 1, count: 20 }),
    ...cells("o3-mini:high", { score: 0.5, costUsd: 1, count: 20 }),
  ],
};

describe("The groups of efforts of a set", () => {
  it("are of models with two efforts at a known cost, on the prompts that all efforts answered", () => {
    const [group, ...others] = effortGroups(set);
    expect(others).toEqual([]);
    expect(group?.model).toBe("gpt-5.4");
    expect(group?.answers.models).toEqual(["gpt-5.4", "gpt-5.4:xhigh"]);
    expect(group?.answers.promptIndexes).toHaveLength(30);
    expect(group?.answers.costUsd[0]).toEqual([1, 10]);
    expect(group?.answers.quality[0]).toEqual([0.5, 0.75]);
  });
});

/** Half of the prompts need the effort, which the first setting knows; the second never uses it. */
const results = Array.from({ length: PROMPTS }, (_, prompt) => {
  const isHard = prompt % 2 === 0;
  const low = { cost: 1, quality: isHard ? 0 : 1 };
  const high = { cost: 10, quality: 1 };
  const settings = COST_WEIGHTS.map((weight) => (weight < 0.5 && isHard ? high : low));
  return { settings, models: [low, high] };
});

describe("The saving against an effort", () => {
  it("is the share of its cost that reaches its quality, and 0 where nothing cheaper does", () => {
    expect(savingAgainst(results, 1, "router")).toBeCloseTo(1 - 5.5 / 10);
    expect(savingAgainst(results, 0, "router")).toBe(0);
    expect(savingAgainst(results, 1, "mixed")).toBe(0);
  });
});
