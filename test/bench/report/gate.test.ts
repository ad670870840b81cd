import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { gate } from "../../../bench/report/gate.js";
import type { BenchmarkResult, Figure } from "../../../bench/report/result.js";
import { measured, noise, ratioFigure, resultWith } from "./results-for-test.js";

const ROUNDS = 15;
/** Fixed, since one in twenty false alarms is what the gate promises: on other draws a test of that would be one, now and then. */
const SEED = 20_261_121;

/** Runs of a suite with 40 ratios, each with its own level. */
function run(draw: () => number, { factor = 1, spread = 0.05 } = {}): BenchmarkResult {
  const figures = Array.from({ length: 40 }, (_, index) =>
    ratioFigure(
      `latency/case/c${index}`,
      measured((index === 3 ? factor : 1) * (1 + index), { rounds: ROUNDS, spread, draw }),
    ),
  );
  return resultWith({ figures });
}

const DATA = [{ name: "sample", sha256: "a".repeat(64), prompts: 120, models: 4 }];

function quality(samples: readonly number[], parts: Partial<Figure> = {}): BenchmarkResult {
  const value = samples.reduce((sum, sample) => sum + sample, 0) / samples.length;
  const id = "quality/sample/ours/accuracy";
  const figure = { id, label: "ours, accuracy", value, samples: [...samples] };
  return resultWith({
    suite: "quality",
    datasets: DATA,
    seeds: samples.map((_, seed) => seed),
    figures: [{ ...figure, unit: "share", better: "higher", ...parts }],
  });
}

describe("The gate on time ratios", () => {
  it("passes runs of the same code at least 95 times in 100, however noisy they are", () => {
    fc.assert(
      fc.property(fc.integer(), fc.constantFrom(0.01, 0.05, 0.2, 0.5), (seed, spread) => {
        const draw = noise(seed);
        const failed = Array.from({ length: 100 }, () =>
          gate(run(draw, { spread }), run(draw, { spread })),
        ).filter(({ passed }) => !passed);
        expect(failed.length).toBeLessThanOrEqual(5);
      }),
      { numRuns: 8, seed: SEED },
    );
  });

  it("fails when one of forty cases takes a fifth longer", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = noise(seed);
        const { passed, faults } = gate(
          run(draw, { spread: 0.03 }),
          run(draw, { spread: 0.03, factor: 1.2 }),
        );
        expect(passed).toBe(false);
        expect(faults).toHaveLength(1);
        expect(faults[0]).toContain("latency/case/c3) got worse");
      }),
      { numRuns: 15 },
    );
  });

  it("judges no ratio whose reference took a much longer or shorter time, as on another machine", () => {
    const draw = noise(7);
    const [steady, slower] = [1, 1.3].map((factor) => run(draw, { spread: 0.03, factor })) as [
      BenchmarkResult,
      BenchmarkResult,
    ];
    const reference = { id: "latency/bare", label: "bare", unit: "us", better: "lower" } as const;
    const beside = (result: BenchmarkResult, value: number): BenchmarkResult => ({
      ...result,
      figures: [
        { ...reference, value },
        ...result.figures.map((figure, at) => (at === 3 ? { ...figure, against: reference.id } : figure)),
      ],
    });
    expect(gate(beside(steady, 100), beside(slower, 140)).passed).toBe(false);
    for (const value of [160, 60]) {
      const { passed, judgements } = gate(beside(steady, 100), beside(slower, value));
      const [judged] = judgements.filter(
        ({ verdict, figure }) => verdict === "not judged" && figure.unit === "ratio",
      );
      expect([passed, judged?.id, judged?.reason]).toEqual([
        true,
        "latency/case/c3",
        `its reference took ${value / 100} × as long as before`,
      ]);
    }
  });
});

describe("The gate on quality", () => {
  it("compares seed by seed, so that a steady loss is found despite the spread between seeds", () => {
    const before = [0.8, 0.5, 0.9, 0.6, 0.7, 0.85];
    const after = before.map((value, seed) => value - 0.03 - 0.002 * (seed % 2));
    const { faults } = gate(quality(before), quality(after));
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("72.5 % → 69.4 % (−3.10 points, tolerated 1.00 points; paired over 6 seeds)");
  });

  it("passes harmless changes of decisions about 95 times in 100, over many figures together", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const draw = noise(seed);
        const shaken = () => {
          const [before, after] = [0, 1].map((run) => {
            const figures = Array.from({ length: 30 }, (_, index) => ({
              ...(quality(Array.from({ length: 20 }, () => 0.7 + run * 0.05 * draw())).figures[0] as Figure),
              id: `quality/sample/ours/f${index}`,
            }));
            const seeds = Array.from({ length: 20 }, (_, index) => index);
            return { ...quality([0.7]), seeds, figures };
          });
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
    const other = quality([0.9, 0.9, 0.9]);
    const changed = { ...other, datasets: DATA.map((set) => ({ ...set, sha256: "b".repeat(64) })) };
    const { passed, faults } = gate(quality([0.8, 0.8, 0.8]), changed);
    expect(passed).toBe(false);
    expect(faults[0]).toMatch(/other data.*make this run the baseline by --update/);
  });
});

describe("The gate on incomplete runs", () => {
  it("fails on a figure of the baseline that is missing, null, in another unit, or without its rounds", () => {
    const before = resultWith({
      figures: ["gone", "null", "unit", "rounds"].map((name) =>
        ratioFigure(`latency/x/${name}`, [1, 1.1, 1.2]),
      ),
    });
    const [, nothing, unit, rounds] = before.figures as [Figure, Figure, Figure, Figure];
    const after = resultWith({
      figures: [
        { ...nothing, value: null, note: "the server did not start" },
        { ...unit, unit: "us" },
        { ...rounds, samples: [1] },
      ],
    });
    const { faults, passed } = gate(before, after);
    expect(passed).toBe(false);
    expect(faults).toHaveLength(4);
    expect(faults[0]).toContain("latency/x/gone) is missing");
    expect(faults[1]).toContain("the server did not start");
    expect(faults[2]).toContain("measured in ratio before and in us after");
    expect(faults[3]).toContain("fewer than three samples");
  });

  it("fails when no figure can be compared", () => {
    const times = ratioFigure("latency/a/b", [1, 1, 1]);
    const only = resultWith({ figures: [{ ...times, unit: "ms" }] });
    expect(gate(only, only).faults[0]).toContain("No figure could be judged");
  });
});
