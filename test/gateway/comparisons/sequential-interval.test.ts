import { describe, expect, it } from "vitest";
import { type Simulation, simulateLooks } from "../../../proofs/comparisons/simulate.js";
import { seededRandom } from "../../../src/foundation/random.js";
import { billChange, sequentialInterval } from "../../../src/gateway/comparisons/sequential-interval.js";

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

  it("does not depend on the order or on the sign that is called better", () => {
    const one = interval({ 1: 30, 0: 400, "-0.5": 50 });
    const mirrored = interval({ "0.5": 50, "-1": 30, 0: 400 });
    expect(mirrored.low).toBeCloseTo(-one.high, 9);
    expect(mirrored.high).toBeCloseTo(-one.low, 9);
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

describe("The change of the bill", () => {
  it("is not known with few bills, or where nothing was billed", () => {
    expect(billChange(Array.from({ length: 19 }, () => ({ served: 1, other: 1 })))).toBeNull();
    expect(billChange(Array.from({ length: 30 }, () => ({ served: 0, other: 1 })))).toBeNull();
  });

  it("contains the truth at every look", () => {
    const random = seededRandom(9);
    let missed = 0;
    for (let round = 0; round < 40; round += 1) {
      const bills: { served: number; other: number }[] = [];
      let isMissed = false;
      for (let at = 0; at < 600; at += 1) {
        // Half of the answers are the other model's anyway; of those that are not, bills vary by an order of magnitude.
        const size = 0.001 * Math.exp(3 * random());
        bills.push({ served: size, other: random() < 0.5 ? size : size * (0.1 + 0.2 * random()) });
        if (at < 50 || at % 50 !== 0) continue;
        const { low = Number.NaN, high = Number.NaN } = billChange(bills) ?? {};
        isMissed ||= -0.4 < low || -0.4 > high;
      }
      if (isMissed) missed += 1;
    }
    expect(missed).toBeLessThan(6);
  });
});
