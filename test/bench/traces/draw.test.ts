import { describe, expect, it } from "vitest";
import { logNormal, weighted, zipf } from "../../../bench/traces/draw.js";
import { seededRandom } from "../../../src/foundation/random.js";

const DRAWS = 100_000;

/** How often each place is drawn. */
function countsOf(draw: (random: () => number) => number, size: number): number[] {
  const random = seededRandom(1);
  const counts = new Array<number>(size).fill(0);
  for (let at = 0; at < DRAWS; at++) {
    const value = draw(random);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

describe("Weighted and Zipf sampling", () => {
  it("follows the weights", () => {
    const counts = countsOf(weighted([95, 3, 2]), 3);
    expect(counts[0]).toBeCloseTo(0.95 * DRAWS, -3);
    expect(counts[1]).toBeCloseTo(0.03 * DRAWS, -3);
    expect(counts[2]).toBeCloseTo(0.02 * DRAWS, -3);
  });

  it("never draws an entry of weight zero", () => {
    const [first, second, third] = countsOf(weighted([0, 1, 0]), 3);
    expect([first, second, third]).toEqual([0, DRAWS, 0]);
  });

  it("draws the r-th index with a frequency of 1/r by Zipf's law", () => {
    const [first = 0, second = 0, , fourth = 0] = countsOf(zipf(40, 1), 40);
    expect(first / second).toBeGreaterThan(1.9);
    expect(first / second).toBeLessThan(2.1);
    expect(first / fourth).toBeGreaterThan(3.7);
    expect(first / fourth).toBeLessThan(4.3);
  });

  it("of log-normal values has the given median and spread", () => {
    const random = seededRandom(2);
    const values = Array.from({ length: DRAWS }, () => logNormal(random, { median: 600, spread: 0.8 }));
    const below = (limit: number) => values.filter((value) => value < limit).length / DRAWS;
    expect(below(600)).toBeCloseTo(0.5, 1);
    expect(below(600 * Math.exp(0.8))).toBeCloseTo(0.841, 2);
    expect(below(600 * Math.exp(-0.8))).toBeCloseTo(0.159, 2);
  });
});
