import { describe, expect, it } from "vitest";
import { difficultyOf } from "../../../src/profiles/build/difficulty-scale.js";
import type { OutcomeTable } from "../../../src/profiles/build/outcome-table.js";

/** A table with an anchor a topic; nothing but topics is read. */
function scaleOf(points: readonly (readonly [tier: number, ease: number])[]) {
  const table = {
    topics: points.map((_, topic) => `topic-${topic}`),
    topicOf: Uint16Array.from(points.keys()),
  } as unknown as OutcomeTable;
  return difficultyOf(table, {
    ease: Float32Array.from(points, ([, ease]) => ease),
    tiers: Float32Array.from(points, ([tier]) => tier),
    fingerprint: "difficulty",
  });
}

/** Topics on a line, each as far above it as the next is below. */
const topicsOn = (slope: number, { spread, noise }: { readonly spread: number; readonly noise: number }) =>
  Array.from({ length: 100 }, (_, topic): [number, number] => {
    const tier = 2 + spread * (Math.floor(topic / 2) / 24.5 - 1);
    return [tier, 1 + slope * (tier - 2) + (topic % 2 === 0 ? noise : -noise)];
  });

describe("The scale from difficulty to expected ease", () => {
  it("is fitted to the topics where their difficulties differ enough", () => {
    const { intercept, slope, residual_variance } = scaleOf(topicsOn(-0.5, { spread: 2, noise: 0.2 }));
    expect(slope).toBeCloseTo(-0.5, 1);
    expect(intercept + 2 * slope).toBeCloseTo(1, 5);
    expect(residual_variance).toBe(0.1);
  });

  it("uses the general slope through the topics' mean where their difficulties are too close", () => {
    const { intercept, slope } = scaleOf(topicsOn(0, { spread: 0.2, noise: 1.5 }));
    expect(slope).toBeLessThan(-1.3);
    expect(intercept + 2 * slope).toBeCloseTo(1, 5);
  });

  it("never increases with difficulty", () => {
    expect(scaleOf(topicsOn(2, { spread: 2, noise: 0.2 })).slope).toBe(0);
  });
});
