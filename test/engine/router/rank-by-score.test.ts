import fc from "fast-check";
import { expect, it } from "vitest";
import { rankByScore } from "../../../src/engine/router/rank-by-score.js";

const byIndex = (a: number, b: number) => a < b;
/** Many ties, no ties, and scores that say nothing. */
const score = fc.oneof(
  fc.integer({ min: -2, max: 2 }),
  fc.double({ noNaN: true }),
  fc.constant(Number.NEGATIVE_INFINITY),
);

it("rankByScore orders like a stable sort by descending score", () => {
  fc.assert(
    fc.property(fc.array(score, { maxLength: 300 }), (list) => {
      const scores = Float64Array.from(list);
      const at = (index: number) => scores[index] as number;
      const sorted = [...scores.keys()].sort((a, b) => (at(a) === at(b) ? a - b : at(a) > at(b) ? -1 : 1));
      expect([...rankByScore(scores, byIndex)]).toEqual(sorted);
    }),
  );
});

it("rankByScore needs at most n log n comparisons, for any scores", () => {
  const lists = [
    Array.from({ length: 512 }, () => 1),
    Array.from({ length: 512 }, (_, index) => (index === 0 ? 1e300 : ((index * 97) % 512) / 512)),
    Array.from({ length: 512 }, (_, index) => -index),
  ];
  for (const list of lists) {
    let reads = 0;
    const scores = new Proxy(Float64Array.from(list), {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) reads++;
        return Reflect.get(target, key, target) as unknown;
      },
    });
    rankByScore(scores, byIndex);
    expect(reads).toBeLessThan(2 * 512 * (9 + 8 + 4));
  }
});
