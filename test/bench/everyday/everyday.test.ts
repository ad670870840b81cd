import { describe, expect, it } from "vitest";
import type { Routing } from "../../../bench/everyday/groups.js";
import { COST_WEIGHTS } from "../../../bench/everyday/groups.js";
import { pricesByTier } from "../../../bench/everyday/prices.js";
import type { Tier } from "../../../bench/everyday/prompts.js";
import { rankingsAlike } from "../../../bench/everyday/rankings.js";
import type { Decision } from "../../../src/engine/router/decision.js";

function decision(qualities: Readonly<Record<string, number>>, reason = "best"): Decision {
  const candidates = Object.entries(qualities).map(([model, expectedQuality]) => ({
    model,
    provider: "openai",
    expectedQuality,
    qualityStderr: 0.05,
    expectedCostUsd: 0.002,
    score: expectedQuality,
    evidence: 10,
  }));
  const selectedModel = candidates[0]?.model;
  return {
    candidates,
    selectedModel,
    reason,
    expectedCostUsd: 0.002,
    profileVersion: "set@1",
  } as unknown as Decision;
}

function routing(tier: Tier, qualities: Readonly<Record<string, number>>, reason?: string): Routing {
  const prompt = { kind: "e-mail", tier, label: `a ${tier} one`, text: "Hello", needsTools: false };
  return { prompt, decisions: COST_WEIGHTS.map(() => decision(qualities, reason)) };
}

describe("The similarity of rankings", () => {
  const up = { a: 0.1, b: 0.2, c: 0.3 };
  const down = { a: 0.3, b: 0.2, c: 0.1 };

  it("is 1 for prompts that rank models alike and −1 for opposite rankings", () => {
    expect(rankingsAlike([routing("trivial", up), routing("hard", up)]).mean).toBeCloseTo(1);
    expect(rankingsAlike([routing("trivial", up), routing("hard", down)]).mean).toBeCloseTo(-1);
  });
});

describe("The prices of choices", () => {
  it("are compared with the difficulty of the prompts and with the model that is best for hard ones", () => {
    const routings = [
      routing("trivial", { small: 0.9 }),
      routing("medium", { middle: 0.8 }),
      routing("hard", { large: 0.7 }),
    ];
    const prices = new Map(Object.entries({ small: 1, middle: 4, large: 20 }));
    const found = pricesByTier({ routings, listPriceOf: (model) => prices.get(model) ?? Number.NaN });
    expect(found).toMatchObject({ spearman: 1, medians: { trivial: 1, medium: 4, hard: 20 }, flagship: 20 });
  });
});
