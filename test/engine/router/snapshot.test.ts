import { expect, it } from "vitest";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { factsAt, loadPlanted, plantWorld } from "../profiles/planted-set.js";

it("A snapshot estimates costs of profiled prompts for which no length follows from the text", async () => {
  const skill = [0.9, 0.8, 0.6, 0.6, 0.3, 0.2];
  const models = ["a", "b"].map((model) => ({ model, skill, tokensOut: 100 }));
  const set = await loadPlanted(plantWorld(models, { prompts: 60, seed: 3 }));
  const expectedTokens = new Float32Array(set.index.size).fill(200);
  expectedTokens[0] = Number.NaN;
  const snapshot = createSnapshot([{ ...set, answerLevels: { ...set.answerLevels, expectedTokens } }], () =>
    factsAt(1, 4),
  );
  const { costUsd } = snapshot.estimate(snapshot.searchAnchor({ set: 0, anchor: 0 }), {
    candidates: snapshot.models,
    promptTokens: 10,
    maxTokens: undefined,
  });
  for (const cost of costUsd) expect(cost).toBeGreaterThan(0);
  expect(snapshot.costWeight.meaningOf(0.5)?.meanCostUsd).toBeGreaterThan(0);
});
