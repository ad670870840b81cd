import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSet } from "../../../bench/quality/load-set.js";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import { measureLearning } from "../../learning/measure.js";
import { gainAtEqualCost } from "../../learning/measures.js";
import { divideWorld, type WorldPrompt } from "../../learning/world.js";

/** Two models: the second costs twice as much, and is right twice as often and on other prompts. */
const prompts: readonly WorldPrompt[] = Array.from({ length: 40 }, (_, index) => ({
  ...{ id: `p${index}`, text: `prompt ${index}`, topic: "" },
  quality: Float64Array.of(index % 4 === 1 ? 1 : 0, index % 2 === 0 ? 1 : 0),
  costUsd: Float64Array.of(1, 2),
  tokensOut: Float64Array.of(10, 10),
}));

describe("The learning benchmark", () => {
  it("measures quality at equal cost, whatever the cost weights come to", () => {
    const [first, second] = [prompts.map(() => 0), prompts.map(() => 1)];
    const same = gainAtEqualCost(prompts, { before: [first, second], after: [second, first] });
    expect([same.value, same.low, same.high]).toEqual([0, 0, 0]);
    // The right model of each prompt costs less than always the second, and is better.
    const best = prompts.map((_, index) => (index % 4 === 1 ? 0 : 1));
    expect(gainAtEqualCost(prompts, { before: [first, second], after: [first, best] }).value).toBeGreaterThan(
      0,
    );
    expect(gainAtEqualCost(prompts, { before: [first, best], after: [first, second] }).value).toBeLessThan(0);
  });

  it("finds that a set knows more of traffic that it has learned from", async () => {
    const embedder = await openStaticEmbedder(join("models", "sextant-static-v1"));
    const world = divideWorld(await loadSet({ name: "sample", folder: join("datasets", "sample") }), {
      seed: 0,
    });
    const { arms, replay } = await measureLearning(world, {
      ...{ embedder, requests: 300, shares: [0], seed: 0, onStep: () => {} },
    });
    const errorBy = (wanted: string) => arms.find(({ arm }) => arm === wanted)?.answered as number;
    expect(errorBy("learned")).toBeLessThan(errorBy("profiled"));
    expect(arms.map(({ gain }) => gain === null || Number.isFinite(gain.value))).not.toContain(false);
    expect(replay.map(({ costWeight }) => costWeight)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    for (const { spendError } of replay) expect(Math.abs(spendError)).toBeLessThan(0.5);
    await embedder.close();
  }, 120_000);
});
