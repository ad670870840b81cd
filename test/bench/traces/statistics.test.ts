import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { overallRate, rateOverTime, type Step, slowestRate } from "../../../bench/traces/statistics.js";

/** A thousand rows at each of those moments. */
const steps = (...moments: number[]): Step[] => moments.map((atMs) => ({ atMs, rows: 1000 }));

const everySecond = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => (from + at) * 1000);

const runs = fc
  .array(fc.record({ waitMs: fc.integer({ min: 1, max: 5000 }), rows: fc.integer({ min: 1, max: 2048 }) }), {
    minLength: 1,
    maxLength: 50,
  })
  .map((waits) => {
    let atMs = 0;
    return waits.map(({ waitMs, rows }) => {
      atMs += waitMs;
      return { atMs, rows };
    });
  });

describe("The rate of a run", () => {
  it("is all rows over the whole time, including the wait for the first", () => {
    expect(overallRate(steps(1000, 2000, 4000))).toBe(750);
  });

  it("is no higher than its slowest window, wherever a pause falls", () => {
    const paused = steps(...everySecond(1, 20), ...everySecond(26, 40));
    // Six seconds for one step, and four steps of a second around it.
    expect(slowestRate(paused, 10_000)).toBeCloseTo(500, 6);
    expect(overallRate(paused)).toBe(875);
  });

  it("is that of the whole run when the run is shorter than the window", () => {
    expect(slowestRate(steps(1000, 2000), 10_000)).toBe(1000);
  });

  it("counts a step that is longer than the window", () => {
    expect(slowestRate(steps(1000, 41_000, 42_000), 10_000)).toBeCloseTo(25, 6);
  });

  it("has no window slower than the reported slowest window", () => {
    fc.assert(
      fc.property(
        runs,
        fc.integer({ min: 1, max: 10_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (run, windowMs, share) => {
          const end = run.at(-1)?.atMs ?? 0;
          fc.pre(end > windowMs);
          const start = share * (end - windowMs);
          const rowsUntil = (atMs: number): number => {
            let [rows, from] = [0, 0];
            for (const step of run) {
              if (step.atMs >= atMs) return rows + (step.rows * (atMs - from)) / (step.atMs - from);
              rows += step.rows;
              from = step.atMs;
            }
            return rows;
          };
          const rate = ((rowsUntil(start + windowMs) - rowsUntil(start)) * 1000) / windowMs;
          expect(slowestRate(run, windowMs)).toBeLessThanOrEqual(rate * (1 + 1e-9) + 1e-9);
        },
      ),
    );
  });

  it("over time adds up to the rows", () => {
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 1000 }), (run, windowMs) => {
        const points = rateOverTime(run, windowMs);
        const rows = run.reduce((sum, step) => sum + step.rows, 0);
        const shown = points.reduce((sum, { y }) => sum + (y * windowMs) / 1000, 0);
        expect(shown).toBeLessThanOrEqual(rows + 1e-6);
        expect(points).toHaveLength(Math.floor((run.at(-1)?.atMs ?? 0) / windowMs));
      }),
    );
  });

  it("over time shows a pause at its time", () => {
    const points = rateOverTime(steps(1000, 2000, 6000, 7000), 2000);
    expect(points).toEqual([
      { x: 2, y: 1000 },
      { x: 4, y: 250 },
      { x: 6, y: 250 },
    ]);
  });
});
