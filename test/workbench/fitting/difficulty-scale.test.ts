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
  const EASE = Float32Array.of(3, 3, 1.5, 1.5, -5, -4);
  /** Three topics of two anchors; the last is far harder than its prompts look. `graded[topic]` models were scored on it, of six. */
  const levelled = (graded: readonly number[], sources: number) => {
    const table = {
      topics: ["a", "b", "c"],
      topicOf: Uint16Array.of(0, 0, 1, 1, 2, 2),
      sources: Array.from({ length: sources }, () => ({})),
    } as unknown as OutcomeTable;
    const information = Float64Array.from({ length: 18 }, (_, index) =>
      Math.floor(index / 3) < (graded[index % 3] as number) ? 10 : 0,
    );
    const joint = { ease: EASE, skill: new Float64Array(18), information } as unknown as JointEvidence;
    return levelTopics(joint, table, { tiers: TIERS });
  };

  it("stands as measured where many models were graded, or in a set of one source", () => {
    expect(levelled([6, 6, 6], 3).ease).toEqual(EASE);
    expect(levelled([6, 6, 2], 1).ease).toEqual(EASE);
  });

  it("moves toward what its difficulty lets expect where few were graded, all of its prompts alike", () => {
    const { ease } = levelled([6, 6, 2], 3);
    expect(ease.subarray(0, 4)).toEqual(EASE.subarray(0, 4));
    expect(ease[4]).toBeGreaterThan(-4);
    expect((ease[5] as number) - (ease[4] as number)).toBeCloseTo(1, 5);
    expect(levelled([6, 6, 1], 3).ease[4]).toBeGreaterThan(ease[4] as number);
  });

  it("keeps what is expected of the models that were graded there", () => {
    const { skill, ease } = levelled([6, 6, 2], 3);
    for (const model of [0, 1])
      expect((skill[3 * model + 2] as number) + (ease[4] as number)).toBeCloseTo(-5, 5);
    expect(skill.subarray(6).every((value) => value === 0)).toBe(true);
  });
});
