import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawResamples, pairedInterval, weightedMean } from "../../../bench/quality/bootstrap.js";
import { predictByKernels } from "../../../bench/quality/exact-kernel.js";
import { predictByLabel } from "../../../bench/quality/label-table.js";
import { chooseBest, chooseByOracle, chooseRandomly, chooseSingle } from "../../../bench/quality/methods.js";
import {
  isTestPrompt,
  loadCompleteRows,
  type PromptOutcomes,
  splitByHash,
} from "../../../bench/quality/outcome-set.js";
import { orderByGain, strongShareMetrics } from "../../../bench/quality/strong-share.js";
import { seededRandom } from "../../../src/profiles/build/random.js";
import { folderWith } from "../../profiles/folder-for-test.js";

function outcomesOf(rows: readonly (readonly number[])[]): PromptOutcomes {
  return {
    prompts: rows.map((_, index) => ({
      id: `p${index}`,
      benchmark: "b",
      category: `c${index % 2}`,
      text: `${index}`,
    })),
    models: (rows[0] ?? []).map((_, model) => `m${model}`),
    quality: Float64Array.from(rows.flat()),
  };
}

describe("the split", () => {
  it("is the one other engines make: 30 % by the first 32 bits of a SHA-256", () => {
    // First 8 hex digits as sha256sum gives them: b540166f, 6371695f, 3a4eefb7, 3486722e, b50353a8.
    const texts = ["abc", "What is 1 + 1?", "四", "x", "hello"];
    expect(texts.map((text) => isTestPrompt(text, 0))).toEqual([false, false, true, true, false]);
  });

  it("puts about 30 % into the test part, whatever the seed", () => {
    for (const seed of [0, 1, 2]) {
      const tests = Array.from({ length: 5000 }, (_, index) => isTestPrompt(`prompt ${index}`, seed));
      expect(tests.filter(Boolean).length / 5000).toBeCloseTo(0.3, 1);
    }
  });

  it("keeps complete rows of well-covered models and divides them without loss", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `p${index}`);
    const rows = ids.flatMap((id, index) => [
      { id, model: "all", score: 1 },
      ...(index === 0 ? [] : [{ id, model: "most", score: 0 }]),
      ...(index < 5 ? [{ id, model: "few", score: 1 }] : []),
    ]);
    const lines = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).join("\n");
    const folder = await folderWith({
      "prompts.jsonl": lines(ids.map((id) => ({ id, prompt: `Text ${id}` }))),
      "outcomes.jsonl": lines(rows),
    });
    const complete = await loadCompleteRows(join(folder), 0.9);
    expect(complete.models).toEqual(["all", "most"]);
    expect(complete.prompts.map(({ id }) => id)).toEqual(ids.slice(1));
    const { train, test } = splitByHash(complete, { name: "set", seed: 0 });
    expect([...train.prompts, ...test.prompts].map(({ id }) => id).sort()).toEqual(ids.slice(1).sort());
    expect(train.quality.length + test.quality.length).toBe(complete.quality.length);
  });
});

describe("ways of choosing", () => {
  const set = {
    name: "set",
    train: outcomesOf([
      [1, 0],
      [1, 0.5],
    ]),
    test: outcomesOf([
      [1, 0],
      [0, 1],
      [0.5, 0.5],
    ]),
  };

  it("knows the best single model from the training part alone", () => {
    expect([...chooseSingle(set).reached]).toEqual([1, 0, 0.5]);
  });

  it("bounds every router by chance and hindsight", () => {
    expect([...chooseRandomly(set).reached]).toEqual([0.5, 0.5, 0.5]);
    expect([...chooseByOracle(set).reached]).toEqual([1, 1, 0.5]);
  });

  it("follows expectations and breaks ties by the training part", () => {
    const chosen = chooseBest("x", Float64Array.of(0.1, 0.2, 0.3, 0.3, 0.2, 0.1), set);
    expect([...(chosen.selected ?? [])]).toEqual([1, 0, 0]);
    expect([...chosen.reached]).toEqual([0, 0, 0.5]);
  });

  it("shrinks label tables and kernels to the model's mean", () => {
    const training = outcomesOf([[1], [0], [1], [0]]);
    // c0 holds the two ones: (2 + 4 × 0.5) / (2 + 4).
    const byLabel = predictByLabel(training, training.prompts.slice(0, 1));
    expect(byLabel[0]).toBeCloseTo(4 / 6);
    const vectors = {
      train: [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(-1, 0), Float32Array.of(0, -1)],
      test: [Float32Array.of(1, 0)],
    };
    const kernel = { neighbours: 2, width: 0.5, pseudoObservations: 4 };
    // Nearest: row 0 (similarity 1) and rows 1 and 3 (similarity 0, tied).
    const weight = Math.exp(-1 / 0.5);
    const [predicted] = predictByKernels(training, vectors, [kernel]);
    expect(predicted?.[0]).toBeCloseTo((1 + 4 * 0.5) / (1 + 2 * weight + 4));
  });
});

describe("the share of calls to the strong model", () => {
  const ones = (count: number) => new Float64Array(count).fill(1);

  it("gives 0.5 to a router that knows nothing", () => {
    const quality = Float64Array.of(0, 1, 1, 1, 0, 1, 0, 0);
    const metrics = strongShareMetrics(orderByGain(new Float64Array(8), quality, { strong: 1 }), ones(4));
    expect(metrics).toEqual({ apgr: 0.5, cpt50: 0.5, cpt80: 0.8 });
  });

  it("rewards calling the strong model where it gains", () => {
    const quality = Float64Array.of(0, 1, 1, 1, 1, 1, 1, 1);
    const knowing = strongShareMetrics(orderByGain(quality, quality, { strong: 1 }), ones(4));
    expect(knowing).toEqual({ apgr: 0.875, cpt50: 0.125, cpt80: 0.2 });
  });

  it("is turned round when expectations are", () => {
    const cell = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { minLength: 2, maxLength: 20 }), (rows) => {
        const quality = Float64Array.from(rows.flatMap(([gain]) => [0, 0.1 + gain]));
        const expected = Float64Array.from(rows.flatMap(([, weak, strong]) => [weak, strong]));
        const opposite = expected.map((value) => -value);
        const apgr = (predicted: Float64Array) =>
          strongShareMetrics(orderByGain(predicted, quality, { strong: 1 }), ones(rows.length)).apgr;
        expect(apgr(expected) + apgr(opposite)).toBeCloseTo(1, 9);
      }),
    );
  });
});

describe("the paired bootstrap", () => {
  it("is the same for the same seed and includes the difference it is about", () => {
    const a = Float64Array.from({ length: 200 }, (_, index) => (index % 3 === 0 ? 1 : 0));
    const b = Float64Array.from({ length: 200 }, (_, index) => (index % 4 === 0 ? 1 : 0));
    const interval = () => {
      const resamples = drawResamples(200, { resamples: 500, random: seededRandom(1) });
      return pairedInterval(resamples, (weights) => weightedMean(a, weights) - weightedMean(b, weights));
    };
    expect(interval()).toEqual(interval());
    const { low, difference, high } = interval();
    expect(difference).toBeCloseTo(67 / 200 - 50 / 200);
    expect(low).toBeLessThan(difference);
    expect(high).toBeGreaterThan(difference);
  });

  it("finds no difference between equals", () => {
    const values = Float64Array.from({ length: 50 }, (_, index) => index / 50);
    const resamples = drawResamples(50, { resamples: 100, random: seededRandom(1) });
    const same = pairedInterval(
      resamples,
      (weights) => weightedMean(values, weights) - weightedMean(values, weights),
    );
    expect(same).toEqual({ difference: 0, low: 0, high: 0 });
  });
});
