import { describe, expect, it } from "vitest";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { evaluate } from "../../../src/workbench/evaluation/evaluate.js";
import { rejectionOf } from "../../support/errors.js";
import { KNOWS_BEST, plantedPrompts, plantedRouter } from "./planted.js";

const lookup = (): ModelFacts => ({
  provider: null,
  price: null,
  contextTokens: null,
  capabilities: { images: null, tools: null },
});

describe("evaluate", () => {
  it("compares the chosen models' answers and costs with the best single model", async () => {
    const { evaluation: found } = await evaluate(plantedRouter({ choose: KNOWS_BEST }), plantedPrompts(), {
      costWeight: 0.5,
      lookup,
    });
    expect(found).toMatchObject({
      ...{ prompts: 40, knownPrompts: 0, best: "large", hindsight: 1, random: 0.75, costs: "recorded" },
      gain: { value: 0, low: 0, high: 0 },
    });
    expect(found.router.costUsd?.value).toBeCloseTo(0.0055, 12);
    // Half of the prompts cost a tenth.
    expect(found.saved?.value).toBeCloseTo(0.45, 12);
    expect(found.saved?.low).toBeGreaterThan(0.3);
    expect(found.saved?.high).toBeLessThan(0.6);
    expect(found.models).toEqual([
      {
        model: "large",
        quality: 1,
        expectedQuality: expect.closeTo(0.99, 9),
        costUsd: expect.closeTo(0.01, 9),
        chosen: 0.5,
      },
      {
        model: "small",
        quality: 0.5,
        expectedQuality: expect.closeTo(0.5, 9),
        costUsd: expect.closeTo(0.001, 9),
        chosen: 0.5,
      },
    ]);
    expect(found.sweep.map(({ quality }) => quality)).toEqual([...Array(23).fill(1), 0.5]);
    expect(found.sweep.slice(-3).map(({ costWeight }) => costWeight)).toEqual([0.9875, 0.99375, 1]);
    expect(found.frontier?.savedAtEqualQuality).toBeCloseTo(0.45, 12);
    expect(found.calibration.error).toBeGreaterThan(0.009);
    expect(found.calibration.error).toBeLessThan(0.011);
    expect(found.decisions[1]).toEqual({
      ...{ id: "p1", benchmark: "planted", model: "large", quality: 1, costUsd: 0.01 },
    });
  });

  it("has the same prompts at another cost weight without preparing them again", async () => {
    let prepared = 0;
    const router = plantedRouter({
      choose: (text, weight) => (weight > 0.5 ? "small" : KNOWS_BEST(text, weight)),
    });
    const counting: typeof router = {
      ...router,
      prepareMany: async (requests) => {
        prepared += requests.length;
        return router.prepareMany(requests);
      },
    };
    const options = { lookup, along: false } as const;
    const { at } = await evaluate(counting, plantedPrompts(), { ...options, costWeight: 0.2 });
    expect(at(0.8)).toEqual(
      (await evaluate(router, plantedPrompts(), { ...options, costWeight: 0.8 })).evaluation,
    );
    expect([at(0.8).gain.value, prepared]).toEqual([-0.5, 40]);
  });

  it("measures a loss as a loss", async () => {
    const { evaluation: found } = await evaluate(plantedRouter({ choose: () => "small" }), plantedPrompts(), {
      costWeight: 0.5,
      lookup,
    });
    expect(found.gain.value).toBe(-0.5);
    expect(found.gain.high).toBeLessThan(-0.3);
    expect(found.saved?.value).toBeCloseTo(0.9, 12);
  });

  it("saves nothing of what costs nothing", async () => {
    const graded = { ...plantedPrompts(), costUsd: new Float64Array(80) };
    const { evaluation } = await evaluate(plantedRouter({ choose: KNOWS_BEST }), graded, {
      costWeight: 0,
      lookup,
    });
    expect([evaluation.saved, evaluation.router.costUsd?.value]).toEqual([null, 0]);
  });

  it("leaves out prompts that the set was built with, unless they are asked for", async () => {
    const router = plantedRouter({ choose: KNOWS_BEST, known: (text) => text.startsWith("easy") });
    const { evaluation: held } = await evaluate(router, plantedPrompts(), { costWeight: 0, lookup });
    expect([held.prompts, held.knownPrompts, held.decisions[0]?.id]).toEqual([20, 20, "p1"]);
    const { evaluation: all } = await evaluate(router, plantedPrompts(), {
      costWeight: 0,
      lookup,
      includeKnown: true,
    });
    expect([all.prompts, all.knownPrompts]).toEqual([40, 0]);
  });

  it("has no costs where none are known, and then refuses to weigh them", async () => {
    const graded = { ...plantedPrompts(), costUsd: new Float64Array(80).fill(Number.NaN) };
    const router = plantedRouter({ choose: KNOWS_BEST });
    const { evaluation: found } = await evaluate(router, graded, { costWeight: 0, lookup });
    expect([found.costs, found.saved, found.router.costUsd, found.frontier]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    const refused = await rejectionOf(evaluate(router, graded, { costWeight: 0.5, lookup }), Error);
    expect(refused.message).toContain("`costWeight` is 0.5, but the cost of fewer than two models is known");
  });

  it("takes costs from tokens and prices where none were recorded", async () => {
    const graded = { ...plantedPrompts(), costUsd: new Float64Array(80).fill(Number.NaN) };
    const priced = (model: string): ModelFacts => ({
      ...lookup(),
      price: { inputUsdPerMtok: 0, outputUsdPerMtok: model === "large" ? 100 : 10 },
    });
    const { evaluation: found } = await evaluate(plantedRouter({ choose: KNOWS_BEST }), graded, {
      costWeight: 0.5,
      lookup: priced,
    });
    expect(found.costs).toBe("listed");
    expect(found.router.costUsd?.value).toBeCloseTo(0.0055, 12);
  });

  it("weighs only models with a cost, in one pass over the prompts", async () => {
    const two = plantedPrompts();
    const withFree = (table: Float64Array, third: number) =>
      Float64Array.from({ length: 120 }, (_, cell) =>
        cell % 3 === 2 ? third : (table[2 * Math.floor(cell / 3) + (cell % 3)] as number),
      );
    const graded = {
      ...{ prompts: two.prompts, models: ["large", "small", "unpriced"] },
      ...{ quality: withFree(two.quality, 0.7), costUsd: withFree(two.costUsd, Number.NaN) },
      ...{ tokensIn: withFree(two.tokensIn, 10), tokensOut: withFree(two.tokensOut, 100) },
    };
    const router = plantedRouter({ choose: KNOWS_BEST });
    const passes = new Map<string, number>();
    const seen = new Set<string>();
    const { evaluation } = await evaluate(
      {
        ...router,
        prepareMany: async (requests) => {
          for (const text of new Set(requests.map(({ messages }) => messages[0]?.content as string)))
            passes.set(text, (passes.get(text) ?? 0) + 1);
          for (const { models } of requests) seen.add(String(models));
          return router.prepareMany(requests);
        },
      },
      graded,
      { costWeight: 0.5, lookup },
    );
    expect([...passes.values()]).toEqual(Array(40).fill(1));
    expect([...seen]).toEqual(["large,small,unpriced", "large,small"]);
    expect(evaluation.saved?.value).toBeCloseTo(0.45, 12);
    expect(evaluation.models.map(({ model, chosen }) => [model, chosen])).toEqual([
      ["large", 0.5],
      ["unpriced", 0],
      ["small", 0.5],
    ]);
  });

  it("refuses prompts of which nothing can be learned", async () => {
    const router = plantedRouter({ choose: KNOWS_BEST, known: () => true });
    const known = await rejectionOf(evaluate(router, plantedPrompts(), { costWeight: 0, lookup }), Error);
    expect(known.message).toContain("All 40 prompts are in the profile set");
    const single = { ...plantedPrompts(), models: ["large"] };
    const alone = await rejectionOf(evaluate(router, single, { costWeight: 0, lookup }), Error);
    expect(alone.message).toContain("the model large alone");
  });

  it("reports its progress to the end", async () => {
    const seen: [number, number][] = [];
    await evaluate(plantedRouter({ choose: KNOWS_BEST }), plantedPrompts(), {
      costWeight: 0.5,
      lookup,
      onProgress: (done, total) => seen.push([done, total]),
    });
    expect(seen.at(-1)).toEqual([40, 40]);
    expect(seen).toEqual(seen.toSorted(([one], [other]) => one - other));
    expect(seen[0]?.[0]).toBeLessThan(40);
  });
});
