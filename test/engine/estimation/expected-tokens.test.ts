import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { costAt, decodeRatio, encodeRatio } from "../../../src/engine/estimation/bills.js";
import { hiddenFactor, visibleTokens } from "../../../src/engine/estimation/expected-tokens.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";

describe("Hidden reasoning", () => {
  it("is that of a prompt of medium difficulty where difficulty is unknown, and rises with it", () => {
    expect(hiddenFactor(Number.NaN)).toBe(1);
    expect([0, 1, 2, 3, 4].map(hiddenFactor)).toEqual([0.25, 0.3125, 1, 3.125, 8.75]);
    const tiers = Array.from({ length: 61 }, (_, step) => hiddenFactor(step / 10 - 1));
    expect(tiers).toEqual(tiers.toSorted((a, b) => a - b));
  });
});

describe("Visible tokens", () => {
  const answerLevels = { expectedTokens: new Float32Array(1) };

  it("are the prompt's, times the ratio of those near it", () => {
    expect(visibleTokens(answerLevels, { answerTokens: 400, answerRatio: 0.5 })).toBe(200);
  });

  it("are what the text asks for, whatever the answers near it were", () => {
    const asked = { answerTokens: 900, lengthIsAsked: true };
    expect(visibleTokens(answerLevels, { ...asked, answerRatio: 0.1 })).toBe(900);
  });

  it("start from a typical length in a set that was built without a model of answer lengths, or without a text", () => {
    const of = (answerTokens?: number) =>
      visibleTokens({ expectedTokens: null }, { answerTokens, answerRatio: 1 });
    expect(of(10)).toBe(of(1000));
    expect(visibleTokens(answerLevels, { answerRatio: 1 })).toBe(of());
  });
});

describe("The code of a bill's ratio", () => {
  it("is its fourth root, so that it decodes to the ratio", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e6, noNaN: true }), (ratio) => {
        expect(decodeRatio(encodeRatio(ratio)) / ratio).toBeCloseTo(1, 9);
      }),
      FIXED_CASES,
    );
    expect(encodeRatio(16)).toBe(2 * encodeRatio(1));
    expect(encodeRatio(Number.NaN)).toBeNaN();
  });

  it("belongs to dollars for prompt and answer", () => {
    const price = { inputUsdPerMtok: 3, outputUsdPerMtok: 15 };
    expect(costAt(price, { promptTokens: 1000, answerTokens: 200 })).toBeCloseTo(0.006, 12);
  });
});
