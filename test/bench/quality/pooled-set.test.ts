import { describe, expect, it } from "vitest";
import { sweepTradeOffs } from "../../../bench/quality/baselines/sweep.js";
import type { SeedMeasurement } from "../../../bench/quality/measure/measure-seed.js";
import { accuracyFigures } from "../../../bench/quality/summary/accuracy.js";
import { costFigures } from "../../../bench/quality/summary/cost.js";
import { pairFigures } from "../../../bench/quality/summary/pairs.js";
import { poolSet } from "../../../bench/quality/summary/pooled-set.js";
import { difference, meanQuality } from "../../../bench/quality/summary/statistics.js";
import { rowsOf } from "./rows-of.js";

/** Two models on 100 prompts: "good" is right on 80, "cheap" on 60 of these and on 10 others; benchmarks in turn. */
const rows = rowsOf(
  ["cheap", "good"],
  Array.from({ length: 100 }, (_, number) => ({
    benchmark: number % 2 === 0 ? "even" : "odd",
    quality: [number < 60 || number >= 90 ? 1 : 0, number < 80 ? 1 : 0],
    costUsd: [1, 10],
  })),
);
const costs = { source: "recorded", priced: [0, 1], usd: rows.costUsd } as const;

function measurement(seed: number, indexes: readonly number[]): SeedMeasurement {
  const all = (model: number): Int16Array => new Int16Array(indexes.length).fill(model);
  // Knows where "cheap" is enough, but not the ten prompts on which only it is right.
  const ours = Int16Array.from(indexes, (index) => (index < 60 ? 0 : 1));
  return {
    seed,
    trainPrompts: 50,
    nearDuplicates: 0,
    testIndexes: Int32Array.from(indexes),
    choices: {
      ours,
      best_single: all(1),
      same: ours,
    },
    expectations: { ours: Float32Array.from(indexes.flatMap((index) => [index < 60 ? 0.9 : 0.3, 0.8])) },
    sweeps: { ours: [all(1), ours, all(0)] },
    numbers: { "promised/0": 10, "promised/1": 5, "promised/2": 1 },
  };
}

const first50 = Array.from({ length: 50 }, (_, index) => 2 * index);
const last50 = Array.from({ length: 50 }, (_, index) => 2 * index + 1);
const set = poolSet({ name: "planted", rows, costs }, [measurement(0, first50), measurement(1, last50)]);
const figureValue = (figures: readonly { id: string; value: number | null }[], id: string) =>
  figures.find((figure) => figure.id === id)?.value;

describe("Pooled splits", () => {
  it("report the mean over the splits and the value of each split", () => {
    const { value, samples, low, high } = set.estimate(meanQuality("ours"));
    expect(value).toBeCloseTo(0.8);
    expect(samples).toEqual([0.8, 0.8]);
    expect(low).toBeLessThan(0.8);
    expect(high).toBeGreaterThan(0.8);
  });

  it("do not count a prompt twice when it is in several splits", () => {
    const once = poolSet({ name: "x", rows, costs }, [measurement(0, first50)]);
    const thrice = poolSet(
      { name: "x", rows, costs },
      [0, 1, 2].map((seed) => measurement(seed, first50)),
    );
    const width = (pooled: typeof once) => {
      const { low, high } = pooled.estimate(meanQuality("best_single"));
      return high - low;
    };
    expect(width(thrice)).toBeCloseTo(width(once), 10);
  });

  it("compare methods prompt by prompt: equal choices have no uncertainty", () => {
    const same = set.estimate(difference(meanQuality("ours"), meanQuality("same")));
    expect(same).toMatchObject({ value: 0, low: 0, high: 0 });
  });
});

describe("The figures of a planted set", () => {
  it("give the distance of the router from the best single model and from the oracle", () => {
    const figures = accuracyFigures(set);
    expect(figureValue(figures, "quality/planted/ours/accuracy")).toBeCloseTo(0.8);
    expect(figureValue(figures, "quality/planted/ours/accuracy_gain")).toBeCloseTo(0);
    expect(figureValue(figures, "quality/planted/oracle/accuracy")).toBeCloseTo(0.9);
  });

  it("give the saving at equal quality, and what the cost weight promised", () => {
    const figures = costFigures(set);
    // 60 prompts at $1 and 40 at $10 instead of 100 at $10.
    expect(figureValue(figures, "quality/planted/ours/cost_save")).toBeCloseTo(1 - 4.6 / 10);
    expect(figureValue(figures, "quality/planted/zero_router/aiq")).toBeCloseTo(0.75);
    // From (1, .7) to (4.6, .8), then flat to 10.
    expect(figureValue(figures, "quality/planted/ours/aiq")).toBeCloseTo((3.6 * 0.75 + 5.4 * 0.8) / 9);
    expect(figureValue(figures, "quality/planted/ours/spend_error_at_0.0606")).toBeCloseTo(4.6 / 5 - 1);
    expect(figures.find(({ id }) => id.endsWith("ours/spend_error"))).toMatchObject({
      value: expect.closeTo(0.08),
      note: expect.stringContaining("at cost weight 0.0606"),
    });
  });

  it("measure how well prompts that need the strong model are found", () => {
    const figures = pairFigures(set);
    const apgr = figureValue(figures, "quality/planted/ours/apgr");
    // On the first 40 % of calls 20 are won and 10 lost in an order that is not known, then nothing changes.
    expect(apgr).toBeCloseTo(0.4 * 0.5 + 0.6);
    expect(figureValue(figures, "quality/planted/ours/cpt50")).toBeCloseTo(0.2);
  });
});

describe("The baselines of a planted set", () => {
  it("sweep from quality alone to the cheapest, with ties going to the cheaper", () => {
    const expectations = {
      quality: Float64Array.of(0.9, 0.5, 0.7, 0.7),
      cost: Float64Array.of(10, 1, 10, 1),
    };
    const choices = sweepTradeOffs(expectations, { models: ["expensive", "cheap"] }, [0, 0.01, 1000]);
    expect(choices.map((choice) => [...choice])).toEqual([
      [0, 1],
      [0, 1],
      [1, 1],
    ]);
  });
});
