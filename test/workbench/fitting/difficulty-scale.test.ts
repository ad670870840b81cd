import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { difficultyOf, levelTopics } from "../../../src/workbench/fitting/difficulty-scale.js";
import type { JointEvidence } from "../../../src/workbench/fitting/joint-evidence.js";
import type { OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";
import { normalOf } from "../statistics.js";

interface Planted {
  readonly sources: number;
  readonly intercept: number;
  readonly slope: number;
  /** Standard deviations of the levels of sources, and of prompts within one. */
  readonly between: number;
  readonly within: number;
  /** Of the sources' mean tiers, from the middle one. */
  readonly spread?: number;
}

/** The scale of a table of sources of 40 prompts each; nothing else of it is read. */
function scaleOf({ sources, intercept, slope, between, within, spread = 1.5 }: Planted) {
  const random = normalOf(seededRandom(3));
  const prompts = Array.from({ length: sources }, (_, source) => {
    const middle = 2 + spread * (sources > 1 ? (2 * source) / (sources - 1) - 1 : 0);
    const level = between * random();
    return Array.from({ length: 40 }, (_, at) => {
      // Within a source, prompts are as easy whatever is read of them.
      const tier = middle + ((at % 5) - 2) / 5;
      return { source, tier, ease: intercept + slope * middle + level + within * random() };
    });
  }).flat();
  const table = {
    sources: Array.from({ length: sources }, () => ({})),
    sourceOf: Uint16Array.from(prompts, ({ source }) => source),
  } as unknown as OutcomeTable;
  return difficultyOf(table, {
    ease: Float32Array.from(prompts, ({ ease }) => ease),
    tiers: Float32Array.from(prompts, ({ tier }, at) => (at === 7 ? Number.NaN : tier)),
    fingerprint: "difficulty",
  });
}

describe("The scale from difficulty to expected ease", () => {
  it.each<[string, Planted, readonly [number, number, number, number]]>([
    [
      "is that of many sources, with the variance between sources left out and within one",
      { sources: 100, intercept: 4, slope: -1.2, between: 1, within: 2 },
      [4, -1.2, 1.16, 4],
    ],
    [
      "and the variance of others, where these differ more",
      { sources: 100, intercept: 4, slope: -1.2, between: 2, within: 1 },
      [4, -1.2, 4, 1.05],
    ],
    [
      "never rises with difficulty",
      { sources: 100, intercept: 0, slope: 1, between: 0.1, within: 1 },
      [1.9, 0, 0.85, 1.05],
    ],
    [
      "is, of few sources, mostly that of the definition: 5 for trivial prompts, -2 for expert ones",
      { sources: 1, intercept: 1.5, slope: 0, between: 0, within: 1 },
      [5, -1.75, 2.7, 2.6],
    ],
  ])("%s", (_, planted, expected) => {
    const { intercept, slope, between_variance: between, within_variance: within } = scaleOf(planted);
    for (const [at, value] of [intercept, slope, between, within].entries()) {
      const planted = expected[at] as number;
      expect(Math.abs(value - planted), `${at}: ${value}`).toBeLessThan(0.2 * Math.max(1, Math.abs(planted)));
    }
  });

  it("counts every source alike, whatever its prompts, and each point of the definition as two", () => {
    const table = { sources: [{}, {}], sourceOf: Uint16Array.of(0, 1, 1, 1) } as unknown as OutcomeTable;
    const { intercept, slope } = difficultyOf(table, {
      ease: Float32Array.of(5, -6, -6, -6),
      tiers: Float32Array.of(0, 4, 4, 4),
      fingerprint: "",
    });
    expect(intercept).toBeCloseTo(5, 9);
    expect(intercept + 4 * slope).toBeCloseTo((2 * -2 - 6) / 3, 9);
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
      sourceOf: Uint16Array.from({ length: 6 }, (_, anchor) => (anchor >> 1) % sources),
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
