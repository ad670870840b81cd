import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  placeOfBestOverall,
  UNCERTAIN_GAIN,
  withoutUncertainGain,
} from "../../../src/engine/router/best-overall.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

const share = fc.double({ min: 0, max: 1, noNaN: true });

/** Models that are known equally well, unless said otherwise. */
const known = (quality: number, stderr = 0.05) => ({ quality, stderr, restsOnLittle: false });

describe("The expected gain over the model that is best overall", () => {
  it("is lowered by its uncertainty", () => {
    expect(withoutUncertainGain(known(0.9), known(0.8))).toBeCloseTo(0.9 - UNCERTAIN_GAIN, 12);
  });

  it("is lowered more for a model with few answers, increasingly with fewer", () => {
    const best = known(0.8, 0.05);
    const lowered = [0.01, 0.05, 0.1, 0.2].map((stderr) =>
      withoutUncertainGain({ ...known(0.95, stderr), restsOnLittle: true }, best),
    );
    expect(withoutUncertainGain(known(0.95, 0.2), best)).toBe(lowered[0]);
    expect(lowered[0]).toBe(lowered[1]);
    expect(lowered[2]).toBeLessThan(lowered[1] as number);
    expect(lowered[3]).toBeLessThan(lowered[2] as number);
  });

  it("is zero while all of it is uncertain", () => {
    fc.assert(
      fc.property(share, fc.double({ min: 1e-6, max: UNCERTAIN_GAIN - 1e-6, noNaN: true }), (best, gain) => {
        const lowered = withoutUncertainGain(known(best + gain), known(best));
        expect(lowered).toBeLessThan(best);
        expect(best - lowered).toBeLessThan(UNCERTAIN_GAIN / 1000);
      }),
      FIXED_CASES,
    );
  });

  it("is a loss worth less than any difference of price where there is none, so that the best overall is chosen at equal cost", () => {
    const equal = withoutUncertainGain(known(0.9), known(0.9));
    expect(equal).toBeLessThan(0.9);
    expect(0.9 - equal).toBeLessThan(1e-7);
  });

  it("never changes the order of two models with expected gains and equal uncertainty", () => {
    fc.assert(
      fc.property(share, share, share, (best, a, b) => {
        fc.pre(a > best && b > best && a < b);
        const [low, high] = [a, b].map((candidate) => withoutUncertainGain(known(candidate), known(best)));
        expect(low).toBeLessThanOrEqual(high as number);
      }),
      FIXED_CASES,
    );
  });

  it("is unchanged for models without an expected gain", () => {
    fc.assert(
      fc.property(share, share, (best, quality) => {
        fc.pre(quality < best);
        expect(withoutUncertainGain(known(quality), known(best))).toBe(quality);
      }),
      FIXED_CASES,
    );
    expect(withoutUncertainGain(known(Number.NaN), known(0.5))).toBeNaN();
    expect(withoutUncertainGain(known(0.5), known(Number.NaN))).toBe(0.5);
  });
});

describe("The model that is best overall", () => {
  it("has the highest quality over all profiled prompts, with ties broken by id", () => {
    const of = (...qualities: number[]) =>
      placeOfBestOverall(
        qualities.map((overallQuality, index) => ({ model: "dbca"[index] ?? "", overallQuality })),
      );
    expect([of(0.2, 0.7, 0.5), of(0.5, 0.5, 0.4), of(0.9), of(0.1, 0.5, 0.5, 0.5)]).toEqual([1, 1, 0, 3]);
  });
});
