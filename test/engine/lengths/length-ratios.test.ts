import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LengthRatios } from "../../../src/engine/lengths/length-ratios.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

interface Repeated {
  readonly times: number;
  readonly model?: string;
  readonly expectedTokens?: number;
}

/** That many answers, each `ratio` times as long as expected. */
function answer(ratios: LengthRatios, ratio: number, { times, model = "m", expectedTokens = 300 }: Repeated) {
  for (let index = 0; index < times; index++) {
    ratios.observe({ model, expectedTokens, actualTokens: ratio * expectedTokens });
  }
}

function ratioAfter(ratio: number, times: number): number {
  const ratios = new LengthRatios();
  answer(ratios, ratio, { times });
  return ratios.ratioOf("m");
}

describe("The length ratio of a model", () => {
  it("is 1 before its first answer, without a correction to report", () => {
    const ratios = new LengthRatios();
    expect(ratios.ratioOf("m")).toBe(1);
    expect(ratios.corrections().size).toBe(0);
  });

  it("is shrunk toward 1 while there are few answers, as if 20 had been as long as expected", () => {
    expect(ratioAfter(5, 1)).toBeCloseTo((5 + 20) / 21, 1);
    expect(ratioAfter(5, 20)).toBeGreaterThan(2.9);
    expect(ratioAfter(5, 20)).toBeLessThan(3.3);
    expect(ratioAfter(5, 100)).toBeGreaterThan(4.2);
  });

  it("converges to the observed ratio, as early answers fade", () => {
    expect(ratioAfter(5, 2000)).toBeCloseTo(5, 1);
    expect(ratioAfter(0.2, 2000)).toBeCloseTo(0.2, 2);
    expect(ratioAfter(1, 1000)).toBeCloseTo(1, 10);
  });

  it("is a ratio of sums, so that long answers weigh more, of which an answer's weight halves after 200 more", () => {
    const sums = new LengthRatios();
    for (let pair = 0; pair < 2000; pair++) {
      sums.observe({ model: "m", expectedTokens: 10, actualTokens: 100 });
      sums.observe({ model: "m", expectedTokens: 990, actualTokens: 990 });
    }
    expect(sums.ratioOf("m")).toBeCloseTo(1090 / 1000, 2);
    const fading = new LengthRatios();
    answer(fading, 1, { times: 3000 });
    answer(fading, 3, { times: 200 });
    expect(fading.ratioOf("m")).toBeCloseTo(2, 2);
    answer(fading, 3, { times: 200 });
    expect(fading.ratioOf("m")).toBeCloseTo(2.5, 2);
  });

  it("changes little for one answer that never ended, however long it was", () => {
    const ratios = new LengthRatios();
    answer(ratios, 1, { times: 100 });
    answer(ratios, 1e6, { times: 1 });
    expect(ratios.ratioOf("m")).toBeLessThan(1.3);
  });

  it("stays finite, between 1/20 and 20, for any observation", () => {
    const tokens = fc.oneof(fc.double(), fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300));
    fc.assert(
      fc.property(fc.array(fc.tuple(tokens, tokens), { maxLength: 60 }), (observations) => {
        const ratios = new LengthRatios();
        for (const [expectedTokens, actualTokens] of observations)
          ratios.observe({ model: "a", expectedTokens, actualTokens });
        expect(ratios.ratioOf("a")).toBeGreaterThanOrEqual(1 / 20 - 1e-9);
        expect(ratios.ratioOf("a")).toBeLessThanOrEqual(20 + 1e-9);
      }),
      FIXED_CASES,
    );
  });

  it("is not affected by answers of other models", () => {
    const ratios = new LengthRatios();
    answer(ratios, 5, { times: 50, model: "long" });
    answer(ratios, 0.5, { times: 50, model: "short" });
    const { long, short } = Object.fromEntries(ratios.corrections());
    expect(long).toEqual({ ratio: ratios.ratioOf("long"), answers: 50 });
    expect(short?.ratio).toBeLessThan(1);
    expect(ratios.ratioOf("other")).toBe(1);
  });
});

describe("The saved length ratios", () => {
  it("continue from their sums as if there had been no restart", () => {
    const whole = new LengthRatios();
    answer(whole, 4, { times: 70 });
    const broken = new LengthRatios(structuredClone(whole.sums()));
    for (const observation of [whole, broken]) answer(observation, 2, { times: 30 });
    expect(broken.corrections()).toEqual(whole.corrections());
  });

  it("are limited to 1,000 models: the one that answered longest ago is dropped first", () => {
    const ratios = new LengthRatios();
    for (let model = 0; model < 1000; model++) answer(ratios, 3, { times: 1, model: `m${model}` });
    answer(ratios, 3, { times: 1, model: "m0" });
    answer(ratios, 3, { times: 1, model: "new" });
    const models = ratios.corrections();
    expect(models.size).toBe(1000);
    expect([models.has("m0"), models.has("m1"), models.has("new")]).toEqual([true, false, true]);
  });
});
