import { describe, expect, it } from "vitest";
import { spearman } from "../../../bench/evidence/spearman.js";
import { openDifficultyModel } from "../../../src/engine/embedding/linear-model-file.js";
import { openStaticEmbedder } from "../../../src/engine/embedding/static/static-embedder.js";
import {
  createDifficultyModel,
  DIFFICULTY_TIERS,
  type DifficultyWeights,
} from "../../../src/engine/estimation/difficulty-model.js";
import { createPromptFeatures } from "../../../src/engine/estimation/prompt-features.js";
import { SHIPPED_MODEL } from "../embedding/tiny-model.js";
import { everydayPrompts, expectedTexts } from "./shipped-difficulty.js";

const STEMS = { proof: ["prove"] };

/** A model that reads nothing but what `overrides` say; weights of features by name. */
function weightsWith(
  weightByName: Readonly<Record<string, number>>,
  overrides: Partial<DifficultyWeights> = {},
): DifficultyWeights {
  const { names } = createPromptFeatures(STEMS);
  return {
    dimensions: 2,
    bias: 1,
    clip: 4,
    features: names.map((name) => ({ name, mean: 0, deviation: 1, weight: weightByName[name] ?? 0 })),
    vectorWeights: [0, 0],
    vectorMean: 0,
    stems: STEMS,
    ...overrides,
  };
}

const VECTOR = Float32Array.of(0.6, 0.8);

describe("The difficulty estimate", () => {
  it("is the bias, the standardised features by their weights, clipped, and the vector's projection beyond its mean", () => {
    expect(createDifficultyModel(weightsWith({})).estimate("prove it", VECTOR)).toBe(1);
    const clipped = createDifficultyModel(weightsWith({ stems_proof: 0.5 }, { clip: 1 }));
    expect(clipped.estimate("prove", VECTOR)).toBeCloseTo(1 + 0.5 * Math.log1p(1));
    expect(clipped.estimate("prove prove prove prove", VECTOR)).toBe(1.5);
    const projecting = createDifficultyModel(weightsWith({}, { vectorWeights: [1, 1], vectorMean: 0.4 }));
    expect(projecting.estimate("", VECTOR)).toBeCloseTo(2, 6);
    expect(projecting.estimate("", new Float32Array(2))).toBe(1);
  });

  it("stays within the range of the tiers", () => {
    const model = createDifficultyModel(weightsWith({}, { vectorWeights: [100, 0] }));
    expect(model.estimate("", Float32Array.of(1, 0))).toBe(4);
    expect(model.estimate("", Float32Array.of(-1, 0))).toBe(0);
  });

  it("is refused for a vector of another embedder", () => {
    expect(() => createDifficultyModel(weightsWith({})).estimate("", new Float32Array(3))).toThrow(
      /vector of 3 numbers for a difficulty model of 2/,
    );
  });

  it("is refused for weights of other features or of too few dimensions", () => {
    const { features } = weightsWith({});
    const renamed = features.map((feature, at) => (at === 1 ? { ...feature, name: "tokens" } : feature));
    expect(() => createDifficultyModel(weightsWith({}, { features: renamed }))).toThrow(
      "feature 1 is tokens where words is expected",
    );
    expect(() => createDifficultyModel(weightsWith({}, { features: features.slice(0, -1) }))).toThrow(
      "feature 21 is missing where stems_proof is expected",
    );
    expect(() => createDifficultyModel(weightsWith({}, { vectorWeights: [1] }))).toThrow(
      "1 vector weights for 2 dimensions",
    );
  });
});

describe("The shipped difficulty model", async () => {
  const embedder = await openStaticEmbedder(SHIPPED_MODEL);
  const model = await openDifficultyModel(SHIPPED_MODEL, embedder.dimensions);
  const estimates = async (texts: readonly string[]) => {
    const vectors = await embedder.embed(texts);
    return texts.map((text, at) => model?.estimate(text, vectors[at] ?? new Float32Array()) ?? Number.NaN);
  };

  it("gives the same estimates as in training", async () => {
    const { texts } = expectedTexts();
    const found = await estimates(texts.map(({ text }) => text));
    for (const [at, { text, estimate }] of texts.entries())
      expect(found[at], text.slice(0, 40)).toBeCloseTo(estimate, 4);
  });

  it("orders everyday prompts by tier (rank correlation of at least .85)", async () => {
    const prompts = Object.entries(everydayPrompts()).flatMap(([name, rows]) => {
      const tier = DIFFICULTY_TIERS[name as keyof typeof DIFFICULTY_TIERS];
      return rows.map(([, , prompt = ""]) => ({ prompt, tier }));
    });
    const found = await estimates(prompts.map(({ prompt }) => prompt));
    const tiers = prompts.map(({ tier }) => tier);
    expect(tiers).toHaveLength(40);
    expect(spearman(found, tiers)).toBeGreaterThan(0.85);
  });

  it("is not misled by difficult words in the material of an easy task", async () => {
    const material = "The proof of the theorem about distributed consensus needs a rigorous analysis. ";
    const [easy, hard] = await estimates([
      `Summarize in one sentence:\n\n${"The ferry leaves at eight. ".repeat(15)}${material.repeat(20)}${"The ferry leaves at eight. ".repeat(10)}`,
      material.repeat(6),
    ]);
    expect(easy).toBeLessThan((hard ?? Number.NaN) - 0.5);
  });
});
