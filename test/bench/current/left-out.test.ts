import { describe, expect, it } from "vitest";
import { meanScore, skillOfMean } from "../../../bench/current/joint-evidence.js";
import { leftOutFigures } from "../../../bench/current/left-out-figures.js";
import { measureLeftOut } from "../../../bench/current/standard-errors.js";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { seededRandom } from "../../../src/foundation/random.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";

const plantedSkill = (model: number, models: number): number => -1.5 + (3 * model) / (models - 1);

function plantedChance(skill: number, anchor: number): number {
  const ease = (((anchor * 37) % 100) - 50) / 40;
  return 1 / (1 + Math.exp(-skill - ease));
}

/** Models of growing skill on topics of differing ease, each answer drawn by chance. */
function plantedTable({
  models,
  topics,
  prompts,
}: {
  models: number;
  topics: number;
  prompts: number;
}): OutcomeTable {
  const random = seededRandom(7);
  const anchors = topics * prompts;
  const topicOf = Uint16Array.from({ length: anchors }, (_, anchor) => Math.floor(anchor / prompts));
  const outcomes = Array.from({ length: models }, (_, model): ModelOutcomes => {
    const skill = plantedSkill(model, models);
    const quality = Float32Array.from({ length: anchors }, (_, anchor) => {
      return random() < plantedChance(skill, anchor) ? 1 : 0;
    });
    return {
      ...{ model: `model-${String(model).padStart(2, "0")}`, originalNames: [`model-${model}`], quality },
      anchors: Uint32Array.from({ length: anchors }, (_, anchor) => anchor),
      samples: new Uint16Array(anchors).fill(1),
      tokensOut: new Float32Array(anchors).fill(Number.NaN),
      costUsd: new Float32Array(anchors).fill(Number.NaN),
    };
  });
  const names = Array.from({ length: topics }, (_, topic) => `topic-${topic}`);
  return {
    promptIds: Array.from({ length: anchors }, (_, anchor) => `set:${anchor}`),
    ...{ benchmarks: names, benchmarkOf: topicOf, topics: names, topicOf, sources: [], models: outcomes },
    sourceOf: new Uint16Array(anchors),
    tokensIn: new Float32Array(anchors).fill(10),
  } as OutcomeTable;
}

describe("A published mean", () => {
  it("is the score that the solved skill predicts on the topic's prompts", () => {
    const ease = [-2, -1, 0, 0.5, 3];
    const { value, variance } = skillOfMean(0.62, ease);
    expect(meanScore(value, ease)).toBeCloseTo(0.62, 4);
    expect(variance).toBeGreaterThan(0);
  });
});

describe("Cross-validated means", () => {
  it("are each predicted once, by a fit without them, and mostly within two standard errors", () => {
    const table = plantedTable({ models: 14, topics: 5, prompts: 40 });
    const folds: number[] = [];
    const found = measureLeftOut({ table, scores: [], describe: describeByName, seed: 0 }, "cells", {
      onFold: (fold) => folds.push(fold),
    });
    expect(folds).toEqual([0, 1, 2, 3, 4]);
    expect(found).toHaveLength(14 * 5);
    const far = found.filter(({ measured, expected }) => Math.abs(measured - expected) > 0.3);
    expect(far).toEqual([]);
  });
});

describe("The figures of held-out models", () => {
  const placed = { models: 2, oneAtATime: [1, 0.5], all: [0.5, 0.5], pairs: [{ full: 0.7, placed: 0.6 }] };
  const found = {
    ...{ set: "zeroeval", models: 3, full: [1, 0.5], best: [0.5, 0.5] },
    placed: { own_means: placed, five_others: { ...placed, models: 0, pairs: [] } },
  };
  const figureValue = (id: string) =>
    leftOutFigures(found).find((figure) => figure.id === `current/left_out_models/zeroeval/${id}`)?.value;

  it("report the share of the gain and of APGR that is kept", () => {
    expect(figureValue("full/gain")).toBe(25);
    expect(figureValue("own_means/gain_kept_one")).toBe(1);
    expect(figureValue("own_means/gain_kept_all")).toBe(0);
    expect(figureValue("own_means/apgr_change")).toBeCloseTo(-0.1);
    expect(figureValue("own_means/apgr_kept")).toBeCloseTo(0.5);
  });
});
