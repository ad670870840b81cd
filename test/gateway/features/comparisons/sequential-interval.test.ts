import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../../src/foundation/random.js";
import { sequentialInterval } from "../../../../src/gateway/features/comparisons/sequential-interval.js";
import { type Simulation, simulateLooks } from "./simulate-looks.js";

const rounds = (simulated: Simulation, count: number, seed: number) => {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => simulateLooks(simulated, random));
};

describe("The interval of comparisons", () => {
  const interval = (counts: Readonly<Record<string, number>>) =>
    sequentialInterval(
      new Map(Object.entries(counts).map(([difference, count]) => [Number(difference), count])),
    );

  it("is everything before the first, and narrows about the mean", () => {
    expect(interval({})).toEqual({ value: 0, low: -1, high: 1 });
    const half = (times: number) => {
      const { low, high, value } = interval({ 0: 80 * times, 1: 10 * times, [-1]: 10 * times });
      expect(value).toBe(0);
      return ((high - low) / 2).toFixed(2);
    };
    expect([half(1), half(4), half(16), half(64)]).toEqual(["0.17", "0.08", "0.04", "0.02"]);
  });

  it("contains the truth at every one of forty looks, however seldom the answers differ", () => {
    for (const [win, loss] of [
      [0.2, 0.2],
      [0.01, 0.03],
      [0.5, 0.5],
    ] as const) {
      const all = rounds({ win, loss, comparisons: 1000, look: 25 }, 30, 3);
      // 1.5 expected of 30 at the most.
      expect(all.filter(({ isMissed }) => isMissed).length).toBeLessThan(6);
    }
  });
});
