import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { chooseWeight, type Sweep } from "../../../src/workbench/evaluation/choose-weight.js";

const PROMPTS = 400;
const COST_WEIGHTS = [0, 0.25, 0.5, 0.75, 1];

/** At weight w, a share w of the prompts goes to a model that is right half as often and costs a tenth. */
const PLANTED: Sweep = plantedSweep();

function plantedSweep(): Sweep {
  const random = seededRandom(1);
  const prompts = Array.from({ length: PROMPTS }, (_, index) => ({
    place: (index + 0.5) / PROMPTS,
    fails: random() < 0.5,
  }));
  const column = (value: (isCheap: boolean, fails: boolean) => number) =>
    COST_WEIGHTS.map((weight) =>
      Float64Array.from(prompts, ({ place, fails }) => value(place < weight, fails)),
    );
  return {
    costWeights: COST_WEIGHTS,
    quality: column((isCheap, fails) => (isCheap && fails ? 0 : 1)),
    costUsd: column((isCheap) => (isCheap ? 0.001 : 0.01)),
    best: { quality: new Float64Array(PROMPTS).fill(1), costUsd: new Float64Array(PROMPTS).fill(0.01) },
  };
}

describe("chooseWeight", () => {
  it("saves most within a loss of quality, and compares that with the best weight", () => {
    const { costWeight, gain, saved, onOtherPrompts, bestWeight } = chooseWeight(PLANTED, { maxLoss: 0.3 });
    expect(costWeight).toBe(0.5);
    expect(gain?.value).toBeGreaterThan(-0.3);
    expect(gain?.low).toBeLessThan(gain?.value as number);
    expect(saved?.value).toBeCloseTo(0.45, 1);
    expect(onOtherPrompts?.saved).toBeCloseTo(0.45, 1);
    expect(bestWeight).toMatchObject({ costWeight: 0, gain: { value: gain?.value } });
    expect(bestWeight?.gain.high).toBeLessThan(-0.2);
  });

  it("measures the loss against the best cost weight where no single model is as good", () => {
    const best = { ...PLANTED.best, quality: PLANTED.best.quality.map((_, prompt) => prompt % 2) };
    const { costWeight, gain } = chooseWeight({ ...PLANTED, best }, { maxLoss: 0.05 });
    expect([costWeight, gain?.value]).toEqual([0, expect.closeTo(0.5)]);
  });

  it("is best within a spend", () => {
    expect(chooseWeight(PLANTED, { maxCostUsd: 0.008 }).costWeight).toBe(0.25);
    expect(chooseWeight(PLANTED, { maxCostUsd: 1 }).costWeight).toBe(0);
  });

  it("finds the knee of cost and quality, which is worth the same on other prompts, and none on a curve that is nearly straight", () => {
    // All but half of a point is lost beyond .5, where half is saved.
    const quality = PLANTED.quality.map((column, step) =>
      step > 2 ? column : column.map((_, prompt) => (step > 0 && prompt % 200 === 0 ? 0 : 1)),
    );
    const { costWeight, gain, saved, onOtherPrompts } = chooseWeight({ ...PLANTED, quality }, "knee");
    expect(costWeight).toBe(0.5);
    expect(gain?.value).toBeCloseTo(-0.005, 3);
    expect(saved?.value).toBeCloseTo(0.45, 1);
    expect(onOtherPrompts?.saved).toBeCloseTo(0.45, 1);
    expect(chooseWeight(PLANTED, "knee").costWeight).toBeNull();
  });

  it("recommends none where none keeps to the goal", () => {
    const recommended = chooseWeight(PLANTED, { maxCostUsd: 0.0001 });
    expect(Object.values(recommended)).toEqual(Array(6).fill(null));
  });

  it("takes the cheapest of equally good weights for the best one", () => {
    const quality = PLANTED.quality.map((column, step) => (step < 2 ? PLANTED.best.quality : column));
    expect(chooseWeight({ ...PLANTED, quality }, { maxCostUsd: 1 }).bestWeight).toEqual({
      costWeight: 0.25,
      gain: { value: 0, low: 0, high: 0 },
    });
  });

  it("measures what a choice by luck is worth on other prompts", () => {
    // Every weight is a coin for each prompt: whichever won here does no better elsewhere.
    const random = seededRandom(5);
    const coins = () => Float64Array.from({ length: 100 }, () => (random() < 0.5 ? 1 : 0));
    const even = Float64Array.from({ length: 100 }, (_, index) => index % 2);
    const cost = new Float64Array(100).fill(0.01);
    const costWeights = Array.from({ length: 21 }, (_, step) => step / 20);
    const columns = { quality: costWeights.map(coins), costUsd: costWeights.map(() => cost) };
    const lucky = { costWeights, ...columns, best: { quality: even, costUsd: cost } };
    const { gain, onOtherPrompts } = chooseWeight(lucky, { maxCostUsd: 1 });
    expect(gain?.value).toBeGreaterThan(0.05);
    expect(onOtherPrompts?.gain).toBeLessThan((gain?.value as number) - 0.03);
  });

  it("needs costs", () => {
    const none = { ...PLANTED, costWeights: [], quality: [], costUsd: [] };
    expect(() => chooseWeight(none, { maxLoss: 0 })).toThrow("nothing to weigh");
  });
});
