import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gate } from "../../../bench/report/gate.js";
import type { BenchmarkResult, Figure } from "../../../bench/report/result.js";
import { noise, resultWith, shareFigure } from "./results-for-test.js";

/** Fixed, since one in twenty false alarms is what the gate promises: on other draws a test of that would be one, now and then. */
const SEED = 20_261_121;

const DATA = [{ name: "sample", sha256: "a".repeat(64), prompts: 120, models: 4 }];

function quality(figures: readonly Figure[]): BenchmarkResult {
  const seeds = (figures[0]?.samples ?? []).map((_, seed) => seed);
  return resultWith({ datasets: DATA, seeds, figures: [...figures] });
}

const accuracy = (samples: readonly number[]): BenchmarkResult =>
  quality([shareFigure("quality/sample/ours/accuracy", samples)]);

describe("The gate on quality", () => {
  it("compares seed by seed, so that a steady loss is found despite the spread between seeds", () => {
    const before = [0.8, 0.5, 0.9, 0.6, 0.7, 0.85];
    const after = before.map((value, seed) => value - 0.03 - 0.002 * (seed % 2));
    const { faults } = gate(accuracy(before), accuracy(after));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("72.5 % → 69.4 % (−3.10 points over 6 seeds)");
  });

  it("passes harmless changes of decisions about 95 times in 100, over many figures together", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = noise(seed);
        const shaken = () => {
          const [before, after] = [0, 1].map((run) =>
            quality(
              Array.from({ length: 30 }, (_, index) =>
                shareFigure(
                  `quality/sample/ours/f${index}`,
                  Array.from({ length: 20 }, () => 0.7 + run * 0.05 * draw()),
                ),
              ),
            ),
          );
          return gate(before as BenchmarkResult, after as BenchmarkResult).passed;
        };
        expect(Array.from({ length: 100 }, shaken).filter((passed) => !passed).length).toBeLessThanOrEqual(
          10,
        );
      }),
      { numRuns: 5, seed: SEED },
    );
  });

  it("fails on other data, and says what to do", () => {
    const other = accuracy([0.9, 0.9, 0.9]);
    const changed = { ...other, datasets: DATA.map((set) => ({ ...set, sha256: "b".repeat(64) })) };
    const { passed, faults } = gate(accuracy([0.8, 0.8, 0.8]), changed);
    expect(passed).toBe(false);
    expect(faults[0]).toMatch(/other data.*make this run the baseline by --update/);
  });
});

describe("The gate on incomplete runs", () => {
  it("fails on a figure of the baseline that is missing, null, in another unit, or without its seeds", () => {
    const before = quality(
      ["gone", "null", "unit", "seeds"].map((name) => shareFigure(`quality/x/${name}`, [0.7, 0.8, 0.9])),
    );
    const [, nothing, unit, seeds] = before.figures as [Figure, Figure, Figure, Figure];
    const after = {
      ...before,
      figures: [
        { ...nothing, value: null, note: "the set has no costs" },
        { ...unit, unit: "score" as const },
        { ...seeds, samples: [0.7] },
      ],
    };
    const { faults, passed } = gate(before, after);
    expect(passed).toBe(false);
    expect(faults).toHaveLength(4);
    expect(faults[0]).toContain("quality/x/gone) is missing");
    expect(faults[1]).toContain("the set has no costs");
    expect(faults[2]).toContain("measured in share before and in score after");
    expect(faults[3]).toContain("fewer than three samples");
  });

  it("fails when no figure can be compared", () => {
    const only = quality([{ ...shareFigure("latency/a/b", [1, 1, 1]), unit: "ms" }]);
    expect(gate(only, only).faults[0]).toContain("No figure could be judged");
  });
});
