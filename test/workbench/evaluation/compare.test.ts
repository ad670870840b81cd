import { describe, expect, it } from "vitest";
import { compareEvaluations } from "../../../src/workbench/evaluation/compare.js";
import type { EvaluatedDecision } from "../../../src/workbench/evaluation/evaluate.js";

const decision = (id: string, model: string, more: Partial<EvaluatedDecision> = {}): EvaluatedDecision => ({
  id,
  benchmark: "b",
  model,
  quality: 1,
  costUsd: 0.01,
  ...more,
});

describe("compareEvaluations", () => {
  const first = [decision("a", "x"), decision("b", "x"), decision("c", "y"), decision("only", "x")];
  const second = [
    decision("c", "y"),
    decision("a", "y", { quality: 0, costUsd: 0.001 }),
    decision("b", "y", { costUsd: 0.001 }),
  ];
  const compare = (decisions: readonly EvaluatedDecision[]) =>
    compareEvaluations({ decisions: first }, { decisions });

  it("lists the prompts that go to another model, with what that changes", () => {
    const { prompts, unpaired, quality, cost, changed, moves } = compare(second);
    expect([prompts, unpaired]).toEqual([3, 1]);
    expect(quality.value).toBeCloseTo(-1 / 3, 12);
    expect(cost?.value).toBeCloseTo(0.012 / 0.03 - 1, 12);
    expect(changed.map(({ id, from, to, quality: change }) => [id, from, to, change])).toEqual([
      ["a", "x", "y", -1],
      ["b", "x", "y", 0],
    ]);
    expect(moves).toEqual([
      { from: "x", to: "y", prompts: 2, quality: -0.5, costUsd: expect.closeTo(-0.009, 9) },
    ]);
  });

  it("has no change of cost where a cost is unknown", () => {
    expect(compare(first.map((one) => ({ ...one, costUsd: null }))).cost).toBeNull();
  });

  it("refuses to compare decisions of other prompts", () => {
    expect(() => compare([decision("z", "x")])).toThrow("no prompt in common");
  });
});
