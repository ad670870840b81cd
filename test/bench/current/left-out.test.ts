import { describe, expect, it } from "vitest";
import { meanScore, skillOfMean } from "../../../bench/current/joint-evidence.js";
import { leftOutFigures } from "../../../bench/current/left-out-figures.js";
import { leftOutSetFigures } from "../../../bench/current/left-out-set-figures.js";
import { measureLeftOut } from "../../../bench/current/standard-errors.js";
import { describeByName } from "../../../src/engine/catalog/model-description.js";
import { seededRandom } from "../../../src/foundation/random.js";
import type { ModelOutcomes, OutcomeTable } from "../../../src/workbench/fitting/outcome-table.js";

const [MODELS, TOPICS, PROMPTS] = [14, 5, 40];

/** Models of growing skill on topics of differing ease, each answer drawn by chance. */
function plantedTable(): OutcomeTable {
  const random = seededRandom(7);
  const anchors = Uint32Array.from({ length: TOPICS * PROMPTS }, (_, anchor) => anchor);
  const topicOf = Uint16Array.from(anchors, (anchor) => Math.floor(anchor / PROMPTS));
  const unknown = new Float32Array(anchors.length).fill(Number.NaN);
  const models = Array.from({ length: MODELS }, (_, model): ModelOutcomes => {
    const skill = -1.5 + (3 * model) / (MODELS - 1);
    const ease = (anchor: number) => (((anchor * 37) % 100) - 50) / 40;
    return {
      model: `model-${String(model).padStart(2, "0")}`,
      originalNames: [`model-${model}`],
      anchors,
      quality: Float32Array.from(anchors, (anchor) =>
        random() < 1 / (1 + Math.exp(-skill - ease(anchor))) ? 1 : 0,
      ),
      samples: new Uint16Array(anchors.length).fill(1),
      tokensOut: unknown,
      costUsd: unknown,
    };
  });
  const topics = Array.from({ length: TOPICS }, (_, topic) => `topic-${topic}`);
  return {
    promptIds: Array.from(anchors, (anchor) => `set:${anchor}`),
    benchmarks: topics,
    benchmarkOf: topicOf,
    topics,
    topicOf,
    sources: [],
    models,
    sourceOf: new Uint16Array(anchors.length),
    tokensIn: new Float32Array(anchors.length).fill(10),
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
    const table = plantedTable();
    const folds: number[] = [];
    const found = measureLeftOut({ table, scores: [], describe: describeByName, seed: 0 }, "cells", {
      onFold: (fold) => folds.push(fold),
    });
    expect(folds).toEqual([0, 1, 2, 3, 4]);
    expect(found).toHaveLength(MODELS * TOPICS);
    const far = found.filter(({ measured, expected }) => Math.abs(measured - expected) > 0.3);
    expect(far).toEqual([]);
  });
});

describe("The figures of held-out models", () => {
  const placed = { models: 2, oneAtATime: [1, 0.5], all: [0.5, 0.5], pairs: [{ full: 0.7, placed: 0.6 }] };
  const found = {
    set: "zeroeval",
    models: 3,
    full: [1, 0.5],
    best: [0.5, 0.5],
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

describe("The figures of sets left out whole", () => {
  const known = [0.2, 0.4, 0.6, 0.8].map((measured, at) => ({
    model: `model-${at}`,
    prompts: 10,
    measured,
    measuredVariance: 0.001,
    stderr: 0.1,
    expected: measured / 2 + 0.5,
    adjusted: { measured: measured - 0.5, expected: (measured - 0.5) / 2 },
  }));
  const above = [-30, -4, 0, 2, 2];
  const dial = { per: "call" as const, models: 4, prompts: 10, above, realOverExpected: [2, 1, 1, 0.5, 1] };
  const figures = leftOutSetFigures([{ set: "mine", entries: 4, known, dial }]);
  const found = (id: string) => figures.find((figure) => figure.id === `current/left_out/${id}`);

  it("are the level, the size of differences, the dial and its dollars, against their goals", () => {
    expect(found("level_error/median")).toMatchObject({ value: 0.25, goal: 0.13, better: "lower" });
    expect(found("slope/median")?.value).toBeCloseTo(2);
    expect([found("dial/least")?.value, found("dial/mean")?.value]).toEqual([-30, -6]);
    expect([found("dollars/call/least")?.value, found("dollars/call/greatest")?.value]).toEqual([0.5, 2]);
    expect(found("dollars/task/least")?.value).toBeNull();
    expect(found("mine/dollars/0.4")).toMatchObject({ value: 0.5, note: "4 models, 10 prompts" });
  });
});
