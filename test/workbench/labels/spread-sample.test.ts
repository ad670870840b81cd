import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/profiles/build/random.js";
import { type SpreadPrompt, spreadSample } from "../../../src/workbench/labels/spread-sample.js";

/** Prompts about `kinds` different things, equally many of each, from easy to hard. */
function prompts(kinds: number, ofEach: number): SpreadPrompt[] {
  const random = seededRandom(1);
  return Array.from({ length: kinds * ofEach }, (_, position) => {
    const vector = Float32Array.from(
      { length: kinds },
      (_, d) => (d === position % kinds ? 1 : 0) + 0.02 * random(),
    );
    const length = Math.hypot(...vector);
    return { vector: vector.map((value) => value / length), ease: 4 * random() - 2 };
  });
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

describe("spreadSample", () => {
  it("takes that many different prompts, or all", () => {
    const all = prompts(4, 20);
    const sample = spreadSample(all, { count: 17, random: seededRandom(2) });
    expect(new Set(sample).size).toBe(17);
    expect(spreadSample(all, { count: 200, random: seededRandom(2) })).toHaveLength(80);
    expect(spreadSample([], { count: 3, random: seededRandom(2) })).toEqual([]);
    expect(spreadSample(all, { count: 0, random: seededRandom(2) })).toEqual([]);
  });

  it("represents kinds and ease more closely than a random sample", () => {
    const all = prompts(4, 100);
    const ease = mean(all.map((prompt) => prompt.ease));
    const misses = { spread: 0, random: 0 };
    const kinds = { spread: 0, random: 0 };
    for (let seed = 0; seed < 200; seed++) {
      const random = seededRandom(seed);
      const spread = spreadSample(all, { count: 16, random });
      const drawn = Array.from({ length: 16 }, () => Math.floor(random() * all.length));
      const off = (sample: readonly number[]) =>
        (mean(sample.map((position) => all[position]?.ease ?? 0)) - ease) ** 2;
      const uneven = (sample: readonly number[]) =>
        [0, 1, 2, 3].reduce(
          (sum, kind) => sum + (sample.filter((position) => position % 4 === kind).length - 4) ** 2,
          0,
        );
      misses.spread += off(spread);
      misses.random += off(drawn);
      kinds.spread += uneven(spread);
      kinds.random += uneven(drawn);
    }
    expect(misses.spread).toBeLessThan(0.5 * misses.random);
    expect(kinds.spread).toBeLessThan(0.5 * kinds.random);
  });

  it("gives every prompt the same chance", () => {
    const all = prompts(2, 15);
    const taken = new Array<number>(all.length).fill(0);
    for (let seed = 0; seed < 2000; seed++) {
      for (const position of spreadSample(all, { count: 6, random: seededRandom(seed) }))
        taken[position] = (taken[position] ?? 0) + 1;
    }
    for (const times of taken) expect(Math.abs(times / 2000 - 6 / 30)).toBeLessThan(0.05);
  });
});
