import { beforeAll, describe, expect, it } from "vitest";
import type { AnchorSet, ModelBills } from "../../../src/engine/estimation/anchor-set.js";
import { costAt } from "../../../src/engine/estimation/bills.js";
import type { EstimateRequest } from "../../../src/engine/router/estimate-candidates.js";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { factsAt, loadPlanted, plantWorld } from "../profiles/planted-set.js";

const PRICE = { inputUsdPerMtok: 1, outputUsdPerMtok: 4 };

let set: AnchorSet;
beforeAll(async () => {
  const skill = [0.9, 0.8, 0.6, 0.6, 0.3, 0.2];
  const models = ["a", "b"].map((model) => ({ model, skill, tokensOut: 100 }));
  set = await loadPlanted(plantWorld(models, { prompts: 60, seed: 3 }));
});

/** What the models are expected to cost on the first anchor, and at most in nine of ten cases. */
function costsOf(changes: Partial<AnchorSet>, request: Partial<EstimateRequest> = {}) {
  const snapshot = createSnapshot([{ ...set, ...changes }], () => factsAt(1, 4));
  const found = snapshot.searchAnchor({ set: 0, anchor: 0 });
  const asked = { candidates: snapshot.models, promptTokens: 10, maxTokens: undefined, ...request };
  const { costUsd, highCostUsd } = snapshot.estimate(found, asked);
  return { costs: [...costUsd], high: [...highCostUsd] };
}

describe("A snapshot", () => {
  it("estimates costs of profiled prompts for which no length follows from the text", () => {
    const expectedTokens = new Float32Array(set.index.size).fill(200);
    expectedTokens[0] = Number.NaN;
    const { costs } = costsOf({ answerLevels: { ...set.answerLevels, expectedTokens } });
    for (const cost of costs) expect(cost).toBeGreaterThan(0);
  });

  it.each([1, 30, 3000])(
    "expects no call to cost more than its prompt and %i tokens, its limit",
    (maxTokens) => {
      // Others were billed a hundred times what their tokens cost.
      const length = set.prior.overall.length.map((one) => 100 ** 0.25 * one);
      const changes = { billSlope: 0, prior: { ...set.prior, overall: { ...set.prior.overall, length } } };
      const limit = costAt(PRICE, { promptTokens: 10, answerTokens: maxTokens });
      const { costs, high } = costsOf(changes, { maxTokens });
      for (const cost of [...costs, ...high]) expect(cost).toBeLessThanOrEqual(limit * (1 + 1e-12));
      const free = costsOf(changes);
      expect(free.costs[0]).toBeGreaterThan(costAt(PRICE, { promptTokens: 10, answerTokens: 1000 }));
      expect(free.high[0]).toBeGreaterThan(free.costs[0] as number);
    },
  );

  it("expects of a task what was paid for the model's, else what is usual, else the cost of a call; of a call its own", () => {
    const billed = (tokens: readonly number[]) => {
      const bills = set.columns.bills.map((bill, at) => ({ ...bill, agentTokens: tokens[at] as number }));
      return { columns: { ...set.columns, bills: bills as readonly ModelBills[] } };
    };
    const calls = costsOf({}).costs;
    const known = { ...billed([500_000, Number.NaN]), agentUsd: 0.3 };
    expect(costsOf(known).costs).toEqual(calls);
    const [paid, usual] = costsOf(known, { per: "task", maxTokens: 10 }).costs as [number, number];
    // 500,000 tokens at $2, the middle of $1 and $4.
    expect(paid).toBeCloseTo(1, 6);
    expect(usual).toBeGreaterThan(0.1);
    const unknown = { ...billed([Number.NaN, Number.NaN]), agentUsd: Number.NaN };
    expect(costsOf(unknown, { per: "task" }).costs).toEqual(calls);
  });
});
