import { expect, it } from "vitest";
import { loadProfileSet } from "../../../src/engine/profiles/load.js";
import type { ModelFacts } from "../../../src/engine/router/candidate.js";
import { createSnapshot } from "../../../src/engine/router/snapshot.js";
import { buildPlanted, EMBEDDER, plantWorld } from "../profiles/planted-set.js";

const FACTS: ModelFacts = {
  provider: "openai",
  price: { inputUsdPerMtok: 1, outputUsdPerMtok: 4 },
  contextTokens: null,
  capabilities: { images: null, tools: null },
};

it("A snapshot estimates costs of profiled prompts for which no length follows from the text", async () => {
  const skill = [0.9, 0.8, 0.6, 0.6, 0.3, 0.2];
  const models = ["a", "b"].map((model) => ({ model, skill, tokensOut: 100 }));
  const folder = await buildPlanted(plantWorld(models, { prompts: 60, seed: 3 }), "without-lengths");
  const { set } = await loadProfileSet(folder, { embedder: EMBEDDER, index: "exact" });
  const expectedTokens = new Float32Array(set.index.size).fill(200);
  expectedTokens[0] = Number.NaN;
  const snapshot = createSnapshot(
    [{ ...set, answerLevels: { ...set.answerLevels, expectedTokens } }],
    () => FACTS,
  );
  const { costUsd } = snapshot.estimate(snapshot.searchAnchor({ set: 0, anchor: 0 }), {
    candidates: snapshot.models,
    promptTokens: 10,
    maxTokens: undefined,
  });
  for (const cost of costUsd) expect(cost).toBeGreaterThan(0);
  expect(snapshot.costWeight.meaningOf(0.5)?.meanCostUsd).toBeGreaterThan(0);
});
