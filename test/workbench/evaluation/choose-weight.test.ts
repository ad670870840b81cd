import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { chooseWeight, type Sweep } from "../../../src/workbench/evaluation/choose-weight.js";

const PROMPTS = 1000;

/** At weight w, a share w of the prompts goes to a model that is right half as often and costs a tenth. */
function plantedSweep(seed = 1): Sweep {
  const random = seededRandom(seed);
  const costWeights = [0, 0.25, 0.5, 0.75, 1];
  const draws = Array.from({ length: PROMPTS }, () => ({ place: random(), fails: random() < 0.5 }));
  const isCheap = (weight: number, { place }: { place: number }) => place < weight;
  return {
    costWeights,
    quality: costWeights.map((weight) =>
      Float64Array.from(draws, (draw) => (isCheap(weight, draw) && draw.fails ? 0 : 1)),
    ),
    costUsd: costWeights.map((weight) =>
      Float64Array.from(draws, (draw) => (isCheap(weight, draw) ? 0.001 : 0.01)),
    ),
    best: { quality: new Float64Array(PROMPTS).fill(1), costUsd: new Float64Array(PROMPTS).fill(0.01) },
  };
}

describe("chooseWeight", () => {
  it("saves most within a loss of quality", () => {
    const { costWeight, gain, saved, onOtherPrompts } = chooseWeight(plantedSweep(), { maxLoss: 0.3 });
    expect(costWeight).toBe(0.5);
    expect(gain?.value).toBeGreaterThan(-0.3);
    expect(gain?.low).toBeLessThan(gain?.value as number);
    expect(saved?.value).toBeCloseTo(0.45, 1);
    expect(onOtherPrompts?.saved).toBeCloseTo(0.45, 1);
  });

  it("measures the loss against the best cost weight where no single model is as good", () => {
    const sweep = plantedSweep();
    const halfAsGood = { ...sweep.best, quality: sweep.best.quality.map((_, prompt) => prompt % 2) };
    const { costWeight, gain } = chooseWeight({ ...sweep, best: halfAsGood }, { maxLoss: 0.05 });
    expect(costWeight).toBe(0);
    expect(gain?.value).toBeCloseTo(0.5);
  });

  it("is best within a spend", () => {
    expect(chooseWeight(plantedSweep(), { maxCostUsd: 0.008 }).costWeight).toBe(0.25);
    expect(chooseWeight(plantedSweep(), { maxCostUsd: 1 }).costWeight).toBe(0);
  });

  it("finds the knee of cost and quality, which is worth the same on other prompts", () => {
    const sweep = plantedSweep();
    // All but half of a point is lost beyond .5, where half is saved.
    const kinked = {
      ...sweep,
      quality: sweep.quality.map((column, step) =>
        step > 2 ? column : column.map((_, prompt) => (step > 0 && prompt % 200 === 0 ? 0 : 1)),
      ),
    };
    const { costWeight, gain, saved, onOtherPrompts } = chooseWeight(kinked, "knee");
    expect(costWeight).toBe(0.5);
    expect(gain?.value).toBeCloseTo(-0.005, 3);
    expect(saved?.value).toBeCloseTo(0.45, 1);
    expect(onOtherPrompts?.saved).toBeCloseTo(0.45, 1);
  });

  it("recommends none where none keeps to the goal", () => {
    expect(chooseWeight(plantedSweep(), { maxCostUsd: 0.0001 })).toEqual({
      ...{ costWeight: null, bestWeight: null, gain: null, saved: null, costUsd: null, onOtherPrompts: null },
    });
  });

  it("compares the chosen weight with the best one, the cheapest of equal ones", () => {
    const { bestWeight } = chooseWeight(plantedSweep(), { maxLoss: 0.3 });
    expect(bestWeight?.costWeight).toBe(0);
    expect(bestWeight?.gain.value).toBeCloseTo(-0.25, 1);
    expect(bestWeight?.gain.high).toBeLessThan(-0.2);
    const sweep = plantedSweep();
    const quality = sweep.quality.map((column, step) => (step < 2 ? sweep.best.quality : column));
    expect(chooseWeight({ ...sweep, quality }, { maxCostUsd: 1 }).bestWeight).toEqual({
      costWeight: 0.25,
      gain: { value: 0, low: 0, high: 0 },
    });
  });

  it("recommends no knee on a curve that is nearly straight", () => {
    expect(chooseWeight(plantedSweep(), "knee")).toMatchObject({
      costWeight: null,
      bestWeight: null,
      gain: null,
    });
  });

  it("measures what a choice by luck is worth on other prompts", () => {
    // Every weight is a coin for each prompt: whichever won here does no better elsewhere.
    const random = seededRandom(5);
    const coins = () => Float64Array.from({ length: 100 }, () => (random() < 0.5 ? 1 : 0));
    const even = Float64Array.from({ length: 100 }, (_, index) => index % 2);
    const cost = new Float64Array(100).fill(0.01);
    const costWeights = Array.from({ length: 21 }, (_, step) => step / 20);
    const lucky: Sweep = {
      costWeights,
      quality: costWeights.map(coins),
      costUsd: costWeights.map(() => cost),
      best: { quality: even, costUsd: cost },
    };
    const { gain, onOtherPrompts } = chooseWeight(lucky, { maxCostUsd: 1 });
    expect(gain?.value).toBeGreaterThan(0.05);
    expect(onOtherPrompts?.gain).toBeLessThan((gain?.value as number) - 0.03);
  });

  it("needs costs", () => {
    const none = { ...plantedSweep(), costWeights: [], quality: [], costUsd: [] };
    expect(() => chooseWeight(none, { maxLoss: 0 })).toThrow("nothing to weigh");
  });
});
