import { describe, expect, it } from "vitest";
import { overallRate, type Step, slowestRate } from "../../../bench/traces/statistics.js";

/** A thousand rows at each of those moments. */
const steps = (...moments: number[]): Step[] => moments.map((atMs) => ({ atMs, rows: 1000 }));

const everySecond = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => (from + at) * 1000);

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
});
