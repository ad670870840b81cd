import { describe, expect, it } from "vitest";
import { chooseBest } from "../../../bench/quality/baselines/choose-best.js";
import { predictByLabel } from "../../../bench/quality/baselines/label-table.js";
import { predictByNearest } from "../../../bench/quality/baselines/nearest.js";
import { modelMeans } from "../../../bench/quality/outcomes/outcome-set.js";
import { rowsOf } from "./rows-of.js";

describe("Baseline routers", () => {
  it("follow expectations and break ties by the training set", () => {
    const train = rowsOf(["a", "b"], [{ quality: [1, 0] }, { quality: [1, 0.5] }]);
    const test = rowsOf(["a", "b"], [{ quality: [1, 0] }, { quality: [0, 1] }, { quality: [0.5, 0.5] }]);
    const chosen = chooseBest(Float64Array.of(0.1, 0.2, 0.3, 0.3, 0.2, 0.1), { name: "x", train, test });
    expect([...chosen]).toEqual([1, 0, 0]);
    expect([...modelMeans(train)]).toEqual([1, 0.25]);
  });

  it("shrink label tables and kernels toward the model's mean", () => {
    const training = rowsOf(
      ["a"],
      [1, 0, 1, 0].map((quality, row) => ({ quality: [quality], category: `c${row % 2}` })),
    );
    // c0 holds the two ones: (2 + 4 × 0.5) / (2 + 4).
    const byLabel = predictByLabel(training, training.prompts.slice(0, 1));
    expect(byLabel[0]).toBeCloseTo(4 / 6);
    const vectors = {
      train: [Float32Array.of(1, 0), Float32Array.of(0, 1), Float32Array.of(-1, 0), Float32Array.of(0, -1)],
      test: [Float32Array.of(1, 0)],
    };
    // Similarities of 1, 0, −1 and 0.
    const [beside = 0, opposite = 0] = [-1, -2].map((difference) => Math.exp(difference / 0.1));
    const [predicted] = predictByNearest(training, vectors);
    expect(predicted).toBeCloseTo((1 + opposite + 4 * 0.5) / (1 + 2 * beside + opposite + 4), 8);
  });
});
