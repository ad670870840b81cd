import { describe, expect, it } from "vitest";
import { difficultyOf, levelTopics } from "../../../src/workbench/fitting/difficulty-scale.js";
import type { JointEvidence } from "../../../src/workbench/fitting/joint-evidence.js";
import type { OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";

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

describe("The level of a topic", () => {
  const TIERS = Float32Array.of(1, 1, 2, 2, 3, 3);
  /** Three topics of two anchors; the last is far harder than its prompts look. `graded[topic]` models were scored on it, of six. */
  const levelled = (graded: readonly number[], sources: number) => {
    const table = {
      topics: ["a", "b", "c"],
      topicOf: Uint16Array.of(0, 0, 1, 1, 2, 2),
      sources: Array.from({ length: sources }, () => ({})),
    } as unknown as OutcomeTable;
    const joint = {
      ease: Float32Array.of(3, 3, 1.5, 1.5, -5, -4),
      skill: new Float64Array(18),
      information: Float64Array.from({ length: 18 }, (_, index) =>
        Math.floor(index / 3) < (graded[index % 3] as number) ? 10 : 0,
      ),
    } as unknown as JointEvidence;
    return { before: joint, after: levelTopics(joint, table, { tiers: TIERS }) };
  };

  it("stands as measured where many models were graded, or in a set of one source", () => {
    expect(levelled([6, 6, 6], 3).after.ease).toEqual(levelled([6, 6, 6], 3).before.ease);
    expect(levelled([6, 6, 2], 1).after.ease).toEqual(levelled([6, 6, 2], 1).before.ease);
  });

  it("moves toward what its difficulty lets expect where few were graded, all of its prompts alike", () => {
    const { before, after } = levelled([6, 6, 2], 3);
    expect([...after.ease.subarray(0, 4)]).toEqual([...before.ease.subarray(0, 4)]);
    expect(after.ease[4]).toBeGreaterThan((before.ease[4] as number) + 1);
    expect((after.ease[5] as number) - (after.ease[4] as number)).toBeCloseTo(1, 5);
    expect(levelled([6, 6, 1], 3).after.ease[4]).toBeGreaterThan(after.ease[4] as number);
  });

  it("keeps what is expected of the models that were graded there", () => {
    const { before, after } = levelled([6, 6, 2], 3);
    for (const model of [0, 1])
      expect((after.skill[3 * model + 2] as number) + (after.ease[4] as number)).toBeCloseTo(
        before.ease[4] as number,
        5,
      );
    expect([...after.skill.subarray(6)].every((skill) => skill === 0)).toBe(true);
  });
});
