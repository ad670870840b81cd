import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { overallRate, type Step, slowestRate } from "../../../bench/traces/statistics.js";

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
});
