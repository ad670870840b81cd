import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  followRelatives,
  ownWeight,
  qualityAtEffort,
  type RelativeColumn,
  shareErrors,
} from "../../../src/engine/estimation/relatives.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

const follows = (given: Partial<RelativeColumn>): RelativeColumn => ({
  column: 1,
  relative: 0,
  levels: 0,
  generations: 0,
  ownWeight: 0,
  ...given,
});

function followed(quality: readonly number[], relatives: readonly RelativeColumn[], difficulty = 2) {
  const evidence = {
    quality: Float64Array.from(quality),
    stderr: new Float64Array(quality.length).fill(0.05),
  };
  followRelatives(relatives, evidence.quality, difficulty);
  shareErrors(relatives, evidence);
  return evidence;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("A model that follows its relative", () => {
  it("is expected to gain by thinking, more on hard prompts", () => {
    const high = follows({ levels: 1 });
    const [easy, hard] = [0, 4].map((tier) => followed([0.6, 0.1], [high], tier).quality[1] as number);
    expect(easy).toBeGreaterThan(0.62);
    expect(hard).toBeGreaterThan((easy as number) + 0.1);
    // Hardly anything where the relative is nearly always right.
    expect(followed([0.99, 0.1], [high]).quality[1]).toBeLessThan(0.998);
  });

  it("is never below it for more thinking or a later release, nor above it for less thinking", () => {
    fc.assert(
      fc.property(
        ...[share, share, share, fc.double({ min: -1, max: 4, noNaN: true })],
        fc.double({ min: -1.25, max: 1.25, noNaN: true }),
        fc.constantFrom(0, 1),
        (relative, own, weight, tier, levels, generations) => {
          const { quality } = followed(
            [relative as number, own as number],
            [follows({ levels, generations, ownWeight: weight as number })],
            tier as number,
          );
          if (levels >= 0) expect(quality[1]).toBeGreaterThanOrEqual(quality[0] as number);
          else if (generations === 0) expect(quality[1]).toBeLessThanOrEqual(quality[0] as number);
        },
      ),
      FIXED_CASES,
    );
  });

  it("lies between both where it has answers of its own", () => {
    const { quality } = followed([0.6, 0.9], [follows({ generations: 1, ownWeight: 0.5 })]);
    expect(quality[1]).toBeGreaterThan(0.66);
    expect(quality[1]).toBeLessThan(0.9);
  });

  it("is as uncertain as its relative and the gain together, and less the more answers it has", () => {
    const errors = [0, 0.3, 0.6].map(
      (weight) => followed([0.6, 0.6], [follows({ generations: 1, ownWeight: weight })]).stderr[1] as number,
    );
    expect(errors[0]).toBeGreaterThan(0.05);
    expect(errors).toEqual([...errors].sort((a, b) => b - a));
  });

  it("passes its expectation on to a model that follows it", () => {
    const chain = [follows({ generations: 1 }), follows({ column: 2, relative: 1, generations: 1 })];
    const { quality } = followed([0.6, 0.1, 0.1], chain);
    expect(quality[2]).toBeGreaterThan(quality[1] as number);
  });

  it("counts a published score as fifteen answers", () => {
    expect(ownWeight({ answers: 0, published: 0 })).toBe(0);
    expect(ownWeight({ answers: 0, published: 2 })).toBe(ownWeight({ answers: 30, published: 0 }));
    expect(ownWeight({ answers: 0, published: 500 })).toBe(ownWeight({ answers: 0, published: 10 }));
  });
});

describe("An effort that no one measured", () => {
  const MEASURED = { quality: [0.6, 0.7], stderr: [0.05, 0.05], ownError: [0.04, 0.04] };
  const at = (levels: number, { across = null as number | null, oddsScale = 1 } = {}) =>
    qualityAtEffort(
      { column: 0, levels, across: across === null ? null : { column: 1, share: across } },
      { ...MEASURED, oddsScale },
      { difficulty: 4, into: { quality: 0, stderr: 0, ownError: 0 } },
    );

  it.each([
    ["more thinking than was measured: the same", at(0.5), (quality: number) => quality === 0.6],
    ["less thinking: worse", at(-0.5), (quality: number) => quality < 0.5],
    [
      "the same where little is known of the prompt: by less",
      at(-0.5, { oddsScale: 0.3 }),
      (quality: number) => quality > 0.5 && quality < 0.6,
    ],
    [
      "between two: between them",
      at(0.5, { across: 0.5 }),
      (quality: number) => quality > 0.64 && quality < 0.66,
    ],
  ])("is expected, at %s, and less certain", (_, { quality, stderr, ownError }, holds) => {
    expect(holds(Number(quality.toFixed(12))), String(quality)).toBe(true);
    expect(stderr).toBeGreaterThan(0.05);
    expect(ownError).toBeGreaterThan(0.04);
  });
});
