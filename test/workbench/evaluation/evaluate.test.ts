import { describe, expect, it } from "vitest";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { type EvaluateOptions, evaluate } from "../../../src/workbench/evaluation/evaluate.js";
import type { GradedPrompts } from "../../../src/workbench/evaluation/graded-prompts.js";
import { KNOWS_BEST, plantedPrompts, plantedRouter } from "./planted.js";

const capabilities = { images: null, tools: null };
const UNKNOWN: ModelFacts = { provider: null, price: null, contextTokens: null, capabilities };

interface Given extends Partial<EvaluateOptions> {
  readonly router?: ReturnType<typeof plantedRouter>;
  readonly graded?: GradedPrompts;
}

const evaluated = (costWeight: number, given: Given = {}) => {
  const { router = plantedRouter({ choose: KNOWS_BEST }), graded = plantedPrompts(), ...options } = given;
  return evaluate(router, graded, { costWeight, lookup: () => UNKNOWN, ...options });
};
const evaluation = async (costWeight: number, given?: Given) =>
  (await evaluated(costWeight, given)).evaluation;

const withCosts = (usd: number): GradedPrompts => ({
  ...plantedPrompts(),
  costUsd: new Float64Array(80).fill(usd),
});

describe("evaluate", () => {
  it("compares the chosen models' answers and costs with the best single model", async () => {
    const found = await evaluation(0.5);
    expect(found).toMatchObject({ prompts: 40, knownPrompts: 0, best: "large", costs: "recorded" });
    expect([found.hindsight, found.random]).toEqual([1, 0.75]);
    expect(found.gain).toEqual({ value: 0, low: 0, high: 0 });
    expect(found.router.costUsd?.value).toBeCloseTo(0.0055, 12);
    // Half of the prompts cost a tenth.
    expect(found.saved?.value).toBeCloseTo(0.45, 12);
    expect(found.saved?.low).toBeGreaterThan(0.3);
    expect(found.saved?.high).toBeLessThan(0.6);
    const near = (value: number) => expect.closeTo(value, 9);
    expect(found.models).toEqual([
      { model: "large", quality: 1, expectedQuality: near(0.99), costUsd: near(0.01), chosen: 0.5 },
      { model: "small", quality: 0.5, expectedQuality: near(0.5), costUsd: near(0.001), chosen: 0.5 },
    ]);
    expect(found.sweep.map(({ quality }) => quality)).toEqual([...Array(23).fill(1), 0.5]);
    expect(found.sweep.slice(-3).map(({ costWeight }) => costWeight)).toEqual([0.9875, 0.99375, 1]);
    expect(found.frontier?.savedAtEqualQuality).toBeCloseTo(0.45, 12);
    expect(found.calibration.error).toBeCloseTo(0.01, 3);
    const decision = { id: "p1", benchmark: "planted", model: "large", quality: 1, costUsd: 0.01 };
    expect(found.decisions[1]).toEqual(decision);
  });

  it("has the same prompts at another cost weight without preparing them again", async () => {
    let prepared = 0;
    const choose = (text: string, weight: number) => (weight > 0.5 ? "small" : KNOWS_BEST(text, weight));
    const router = plantedRouter({ choose });
    const counting: typeof router = {
      ...router,
      prepareMany: async (requests) => {
        prepared += requests.length;
        return router.prepareMany(requests);
      },
    };
    const { at } = await evaluated(0.2, { router: counting, along: false });
    expect(at(0.8)).toEqual(await evaluation(0.8, { router, along: false }));
    expect([at(0.8).gain.value, prepared]).toEqual([-0.5, 40]);
    expect(at(0.8).gain.high).toBeLessThan(-0.3);
    expect(at(0.8).saved?.value).toBeCloseTo(0.9, 12);
  });

  it("saves nothing of what costs nothing", async () => {
    const { saved, router } = await evaluation(0, { graded: withCosts(0) });
    expect([saved, router.costUsd?.value]).toEqual([null, 0]);
  });

  it("leaves out prompts that the set was built with, unless they are asked for", async () => {
    const router = plantedRouter({ choose: KNOWS_BEST, known: (text) => text.startsWith("easy") });
    const held = await evaluation(0, { router });
    expect([held.prompts, held.knownPrompts, held.decisions[0]?.id]).toEqual([20, 20, "p1"]);
    const all = await evaluation(0, { router, includeKnown: true });
    expect([all.prompts, all.knownPrompts]).toEqual([40, 0]);
  });

  it("has no costs where none are known, and then refuses to weigh them", async () => {
    const graded = withCosts(Number.NaN);
    const { costs, saved, router, frontier } = await evaluation(0, { graded });
    expect([costs, saved, router.costUsd, frontier]).toEqual([null, null, null, null]);
    await expect(evaluated(0.5, { graded })).rejects.toThrow(
      "`costWeight` is 0.5, but the cost of fewer than two models is known",
    );
  });

  it("takes costs from tokens and prices where none were recorded", async () => {
    const lookup = (model: string): ModelFacts => ({
      ...UNKNOWN,
      price: { inputUsdPerMtok: 0, outputUsdPerMtok: model === "large" ? 100 : 10 },
    });
    const found = await evaluation(0.5, { graded: withCosts(Number.NaN), lookup });
    expect(found.costs).toBe("listed");
    expect(found.router.costUsd?.value).toBeCloseTo(0.0055, 12);
  });

  it("weighs only models with a cost", async () => {
    const { prompts, ...two } = plantedPrompts();
    const withThird = (table: Float64Array, third: number) =>
      Float64Array.from({ length: 120 }, (_, cell) =>
        cell % 3 === 2 ? third : (table[2 * Math.floor(cell / 3) + (cell % 3)] as number),
      );
    const graded = {
      prompts,
      models: ["large", "small", "unpriced"],
      quality: withThird(two.quality, 0.7),
      costUsd: withThird(two.costUsd, Number.NaN),
      tokensIn: withThird(two.tokensIn, 10),
      tokensOut: withThird(two.tokensOut, 100),
    };
    const { saved, models } = await evaluation(0.5, { graded });
    expect(saved?.value).toBeCloseTo(0.45, 12);
    const chosen = Object.fromEntries(models.map((each) => [each.model, each.chosen]));
    expect(chosen).toEqual({ large: 0.5, unpriced: 0, small: 0.5 });
  });

  it("refuses prompts of which nothing can be learned", async () => {
    const router = plantedRouter({ choose: KNOWS_BEST, known: () => true });
    await expect(evaluated(0, { router })).rejects.toThrow("All 40 prompts are in the profile set");
    const graded = { ...plantedPrompts(), models: ["large"] };
    await expect(evaluated(0, { graded })).rejects.toThrow("the model large alone");
  });

  it("reports its progress to the end", async () => {
    const seen: [number, number][] = [];
    await evaluated(0.5, { onProgress: (done, total) => seen.push([done, total]) });
    expect(seen.at(-1)).toEqual([40, 40]);
    expect(seen).toEqual(seen.toSorted(([one], [other]) => one - other));
    expect(seen[0]?.[0]).toBeLessThan(40);
  });
});
