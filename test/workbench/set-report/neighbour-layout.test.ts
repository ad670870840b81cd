import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { neighbourLayout } from "../../../src/workbench/set-report/neighbour-layout.js";

/** Unit vectors around a few centres. */
function groups(count: number, ofEach: number): Float32Array[] {
  const random = seededRandom(3);
  return Array.from({ length: count * ofEach }, (_, position) => {
    const vector = Float32Array.from(
      { length: 16 },
      (_, d) => (d === position % count ? 1 : 0) + 0.2 * (random() - 0.5),
    );
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

describe("neighbourLayout", () => {
  it("keeps groups together, in the unit square", () => {
    const { x, y } = neighbourLayout(groups(4, 30), { seed: 0 });
    const distance = (a: number, b: number) =>
      Math.hypot((x[a] as number) - (x[b] as number), (y[a] as number) - (y[b] as number));
    let kept = 0;
    for (let point = 0; point < 120; point++) {
      const nearest = [...Array(120).keys()]
        .filter((other) => other !== point)
        .sort((a, b) => distance(point, a) - distance(point, b))
        .slice(0, 5);
      kept += nearest.filter((other) => other % 4 === point % 4).length;
      expect(x[point]).toBeGreaterThanOrEqual(0);
      expect(y[point]).toBeLessThanOrEqual(1);
    }
    expect(kept / 600).toBeGreaterThan(0.95);
  });

  it("is the same for the same seed, and finite for few or equal vectors", () => {
    const vectors = groups(2, 10);
    expect(neighbourLayout(vectors, { seed: 1 })).toEqual(neighbourLayout(vectors, { seed: 1 }));
    const same = Array.from({ length: 5 }, () => Float32Array.of(1, 0, 0));
    for (const few of [[], [Float32Array.of(1, 0)], same]) {
      const { x, y } = neighbourLayout(few, { seed: 0 });
      for (const value of [...x, ...y]) expect(Number.isFinite(value)).toBe(true);
    }
  });
});
