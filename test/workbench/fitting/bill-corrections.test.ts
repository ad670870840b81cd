import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet } from "../../../src/engine/estimation/anchor-set.js";
import { encodeRatio } from "../../../src/engine/estimation/bills.js";
import { type CorrectionOptions, correctBills } from "../../../src/workbench/fitting/bill-corrections.js";
import { loadPlanted, plantWorld } from "../../engine/profiles/planted-set.js";

const SKILL = [0.9, 0.8, 0.6, 0.6, 0.4, 0.3];
const PROMPTS = 300;

let set: AnchorSet;

beforeAll(async () => {
  // Without tokens or dollars, so that what is expected of the answers is the same for all prompts.
  const models = ["dear", "cheap", "silent"].map((model) => ({ model, skill: SKILL }));
  set = await loadPlanted(plantWorld(models, { prompts: PROMPTS, seed: 5 }));
});

/** An estimator that expects the same of every prompt. */
const expecting = (ratios: Readonly<Record<string, number>>) => () => ({
  quality: new Float64Array(set.models.length),
  billRatio: Float64Array.from(set.models, (model) => ratios[model] ?? 1),
  answerRatio: 1,
});

/** Measured ratios, the same for all prompts. */
const measured =
  (ratios: Readonly<Record<string, number>>): CorrectionOptions["codesOf"] =>
  (model) =>
    ratios[model] === undefined ? undefined : new Float32Array(PROMPTS).fill(encodeRatio(ratios[model]));

describe("The correction of expected bills", () => {
  it("is the ratio of the sums, shrunk by ten answers' worth of prior, 1 without measurements", () => {
    const gather = expecting({ dear: 5, cheap: 0.8 });
    const { factors } = correctBills(set, { codesOf: measured({ dear: 4, cheap: 1 }), gather });
    expect(factors.get("dear")).toBeCloseTo((4 * (PROMPTS + 10)) / (5 * PROMPTS + 4 * 10), 4);
    expect(factors.get("cheap")).toBeCloseTo((PROMPTS + 10) / (0.8 * PROMPTS + 10), 4);
    expect(factors.get("silent")).toBe(1);
  });

  it("is limited to between a half and two", () => {
    const gather = expecting({ dear: 40, cheap: 0.1 });
    const { factors } = correctBills(set, { codesOf: measured({ dear: 4, cheap: 1 }), gather });
    expect(factors.get("dear")).toBe(0.5);
    expect(factors.get("cheap")).toBe(2);
  });

  it("comes with the spread of the logarithms, 0 when nothing was measured", () => {
    const gather = expecting({ dear: 2 });
    expect(correctBills(set, { codesOf: measured({ dear: 4 }), gather }).spread).toBeCloseTo(Math.log(2), 4);
    expect(correctBills(set, { codesOf: () => undefined, gather }).spread).toBe(0);
  });

  it.each([
    ["1 where bills are as far apart as expected", { expected: 2, seen: 2 }, 1],
    ["less where they are less far apart", { expected: 4, seen: 2 }, 0.516],
    ["hardly more than 0 where they are alike", { expected: 8, seen: 1 }, 0.01],
    ["0 where they are the other way round", { expected: 4, seen: 0.5 }, 0],
    ["1 where the same is expected of all", { expected: 1.001, seen: 1 }, 1],
  ])("comes with the slope of bills by expectations: %s", (_, { expected, seen }, slope) => {
    const isDear = (anchor: number) => anchor % 2 === 0;
    const evaluated = [...Array(PROMPTS).keys()][Symbol.iterator]();
    const gather = () => expecting({ dear: isDear(evaluated.next().value as number) ? expected : 1 })();
    const codes = Float32Array.from({ length: PROMPTS }, (_, at) => encodeRatio(isDear(at) ? seen : 1));
    const codesOf = (model: string) => (model === "dear" ? codes : undefined);
    expect(correctBills(set, { codesOf, gather }).slope).toBeCloseTo(slope, 2);
  });

  it("excludes the anchor that it is evaluated at", () => {
    const seen: number[] = [];
    const gather: CorrectionOptions["gather"] = (_, { anchors, similarities }) => {
      expect([...anchors]).not.toContain(seen.length);
      seen.push(similarities.length);
      return expecting({})();
    };
    correctBills(set, { codesOf: measured({ dear: 4 }), gather });
    expect(seen).toHaveLength(PROMPTS);
  });
});
