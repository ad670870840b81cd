import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Candidate } from "../../../src/engine/router/decision.js";
import { explore } from "../../../src/engine/router/explore.js";
import { FIXED_CASES } from "../../support/fixed-cases.js";
import { candidateOf } from "./candidate-of.js";

const facts = fc.record({
  expectedQuality: fc.double({ min: 0, max: 1, noNaN: true }),
  qualityStderr: fc.double({ min: 0.001, max: 0.3, noNaN: true }),
  expectedCostUsd: fc.option(fc.double({ min: 1e-6, max: 0.1, noNaN: true })),
});

const candidates = fc
  .array(facts, { minLength: 1, maxLength: 20 })
  .map((list) => list.map((each, index) => candidateOf(`model-${index}`, each)));

const share = fc.double({ min: 0, max: 0.5, noNaN: true });
const maxCostRatio = fc.double({ min: 1, max: 20, noNaN: true });
/** Evenly over [0, 1). */
const DRAWS = Array.from({ length: 2000 }, (_, index) => (index + 0.5) / 2000);

describe("explore", () => {
  it("selects each model as often as its logged probability says", () => {
    fc.assert(
      fc.property(candidates, share, maxCostRatio, (list, asked, ratio) => {
        const selections = new Map<string, { count: number; probability: number }>();
        for (const draw of DRAWS) {
          const found = explore(list, { share: asked, maxCostRatio: ratio, draw });
          const model = found.candidates[0]?.model as string;
          const { count } = selections.get(model) ?? { count: 0 };
          selections.set(model, { count: count + 1, probability: found.exploration.probability });
        }
        for (const { count, probability } of selections.values())
          expect(Math.abs(count / DRAWS.length - probability)).toBeLessThan(0.002);
      }),
      { numRuns: 15, seed: 1 },
    );
  });

  it("tries no model that costs too much, whose cost is unknown, or that is known to be worse", () => {
    const anyDraw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(candidates, maxCostRatio, anyDraw, (list, ratio, draw) => {
        const found = explore(list, { share: 0.5, maxCostRatio: ratio, draw });
        const [preferred] = list as [Candidate];
        const [selected] = found.candidates as [Candidate];
        expect(found.exploration.preferredModel).toBe(preferred.model);
        expect(found.exploration.explored).toBe(selected !== preferred);
        if (selected === preferred) return;
        const { expectedCostUsd, expectedQuality, qualityStderr } = selected;
        expect(expectedCostUsd).not.toBeNull();
        expect(expectedCostUsd).toBeLessThanOrEqual(ratio * (preferred.expectedCostUsd as number));
        expect(expectedQuality + 2 * qualityStderr).toBeGreaterThanOrEqual(preferred.expectedQuality);
      }),
      FIXED_CASES,
    );
  });

  it("draws among eight others at most, and leaves the rest in their order for fallbacks", () => {
    const list = Array.from({ length: 12 }, (_, index) => candidateOf(`model-${index}`));
    const drawn = DRAWS.map((draw) => explore(list, { share: 0.4, maxCostRatio: 2, draw }));
    const selected = new Set(drawn.map(({ candidates: [first] }) => first?.model));
    expect(selected).toEqual(new Set(list.slice(0, 9).map(({ model }) => model)));
    const third = drawn.find(({ candidates: [first] }) => first?.model === "model-2");
    expect(third?.candidates).toEqual([list[2], ...list.toSpliced(2, 1)]);
    expect(third?.exploration).toEqual({ explored: true, probability: 0.05, preferredModel: "model-0" });
  });

  it("is certain of the decision where nothing can be tried", () => {
    const list = [candidateOf("a"), candidateOf("b", { expectedCostUsd: 0.1 })];
    expect(explore(list, { share: 0.5, maxCostRatio: 5, draw: 0.1 })).toEqual({
      candidates: list,
      exploration: { explored: false, probability: 1, preferredModel: "a" },
    });
  });
});
