import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/engine/router/decision.js";
import { searchedAttack, WRITTEN } from "../../attacks/attacks.js";
import {
  attackFigures,
  inflation,
  qualityChange,
  shareChanged,
  worstDecision,
} from "../../attacks/figures.js";
import { type AttackedDecision, compareDecisions } from "../../attacks/measure.js";

function decision(selectedModel: string, costs: Readonly<Record<string, number>>): Decision {
  const candidates = Object.entries(costs).map(([model, expectedCostUsd]) => ({
    ...{ model, expectedCostUsd, expectedQuality: model === "large" ? 0.9 : 0.7 },
  }));
  return { selectedModel, candidates, expectedCostUsd: costs[selectedModel] } as unknown as Decision;
}

const changed = (usdBefore: number, usdAfter: number): AttackedDecision => ({
  ...{ prompt: "p", before: "small", after: usdAfter === usdBefore ? "small" : "large" },
  ...{ usdBefore, usdAfter, usdWithText: 2 * usdAfter, qualityBefore: 0.7, qualityAfter: 0.9 },
});

describe("An attacked decision", () => {
  it("is priced as for the prompt without the attack, the attack's own tokens apart", () => {
    const plain = decision("small", { small: 1, large: 10 });
    const attacked = decision("large", { small: 5, large: 50 });
    expect(compareDecisions("p", plain, attacked)).toEqual({
      ...{ prompt: "p", before: "small", after: "large", usdBefore: 1, usdAfter: 10, usdWithText: 50 },
      ...{ qualityBefore: 0.7, qualityAfter: 0.9 },
    });
  });

  it("counts in the spend of all, in the share that changed, and as the worst by its factor", () => {
    const decisions = [changed(10, 20), changed(1, 5), changed(9, 9)];
    expect(inflation(decisions)).toBeCloseTo(0.7);
    expect(shareChanged(decisions)).toBeCloseTo(2 / 3);
    expect(qualityChange(decisions)).toBeCloseTo(0.2);
    expect(worstDecision(decisions)).toBe(decisions[1]);
  });

  it("is part of the mean over all attacks but searched ones", () => {
    const [attack] = WRITTEN;
    if (attack === undefined) throw new Error("no attacks");
    const searched = searchedAttack("words", { toward: "expensive", position: "suffix" });
    const figures = attackFigures([
      { attack, costWeight: 0.5, found: undefined, decisions: [changed(10, 12)] },
      { attack: searched, costWeight: 0.5, found: "words", decisions: [changed(10, 100)] },
    ]);
    const figure = (id: string) => figures.find((found) => found.id === id)?.value;
    expect(figure("attacks/weight_0.5/mean_inflation")).toBeCloseTo(0.2);
    expect(figure("attacks/weight_0.5/inflation/searched_expensive_suffix")).toBeCloseTo(9);
  });
});
