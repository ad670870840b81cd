import { describe, expect, it } from "vitest";
import type { SparseSet } from "../../../bench/evidence/sparse-set.js";
import type { Decision } from "../../../src/engine/router/decision.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { compare } from "../../poisoning/measure.js";
import { POISONINGS } from "../../poisoning/poison.js";

const PROMPTS = 100;
/** Of `large` 80 answers of 100 are right and cost more, of `small` 40. */
const set: SparseSet = {
  name: "set",
  sha256: "",
  prompts: Array.from({ length: PROMPTS }, (_, prompt) => ({
    ...{ id: `p${prompt}`, benchmark: "b", category: "", text: `prompt ${prompt}` },
  })),
  cells: Array.from({ length: PROMPTS }, (_, prompt) =>
    (["large", "small"] as const).map((model) => ({
      ...{ prompt, model, samples: 1, tokensIn: 10, tokensOut: 10 },
      ...{ score: prompt < (model === "large" ? 80 : 40) ? 1 : 0, costUsd: model === "large" ? 1 : 0.1 },
    })),
  ).flat(),
};

function poisoned(id: string, share: number): SparseSet {
  const poisoning = POISONINGS.find((known) => known.id === id);
  if (poisoning === undefined) throw new Error(`no poisoning ${id}`);
  return poisoning.apply(set, { share, random: seededRandom(1) });
}

const rightOf = ({ cells }: SparseSet, model: string): number =>
  cells.filter((cell) => cell.model === model && cell.score === 1).length;

describe("Poisoned outcomes", () => {
  it("are wrong for the requested share of one model's outcomes, and right for the others", () => {
    expect([
      rightOf(poisoned("demote_best", 0.1), "large"),
      rightOf(poisoned("demote_best", 0.1), "small"),
    ]).toEqual([70, 40]);
    expect(rightOf(poisoned("promote_expensive", 0.05), "large")).toBe(85);
    expect(rightOf(poisoned("promote_expensive", 0.5), "large")).toBe(100);
    expect(rightOf(poisoned("promote_worst", 0.2), "small")).toBe(60);
    const flipped = poisoned("flip_best", 0.2).cells.filter(
      (cell, index) => cell.score !== set.cells[index]?.score,
    );
    expect(flipped).toHaveLength(20);
    expect(new Set(flipped.map(({ model }) => model))).toEqual(new Set(["large"]));
  });

  it("are measured by decisions changed, spend at clean costs, and recorded scores", () => {
    const decision = (selectedModel: string): Decision =>
      ({
        selectedModel,
        candidates: [
          { model: "large", expectedCostUsd: 4 },
          { model: "small", expectedCostUsd: 1 },
        ],
      }) as unknown as Decision;
    const found = compare(
      [decision("small"), decision("small")],
      [decision("large"), decision("small")],
      (prompt, model) => (prompt === 0 && model === "large" ? 1 : 0),
    );
    expect(found).toEqual({ changed: 0.5, inflation: 1.5, quality: 0.5 });
  });
});
