import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { logisticLink } from "../../../src/workbench/fitting/logistic-link.js";
import { fitTwoWay, type TwoWayFit } from "../../../src/workbench/fitting/two-way-fit.js";

const PROMPTS = 1800;
const BENCHMARKS = 3;
/** Mean log2 length of answers on each benchmark beyond a model's habit: long for everybody on the first, short on the last. */
const BENCHMARK_LENGTH = [2, 0, -1.5];

interface PlantedModel {
  readonly name: string;
  /** Log2 length of its answers beyond what the prompt asks for. */
  readonly ability: number;
  readonly benchmarks: readonly number[];
}

/** Twelve models, some of which met only one benchmark. */
const MODELS: readonly PlantedModel[] = [
  ...[-1.2, -0.8, -0.4, 0, 0.3, 0.6, 0.9, 1.3].map((ability) => ({
    name: `everywhere ${ability}`,
    ability,
    benchmarks: [0, 1, 2],
  })),
  { name: "terse, only long prompts", ability: -0.6, benchmarks: [0] },
  { name: "wordy, only short prompts", ability: 1.1, benchmarks: [2] },
  { name: "middling, long and medium", ability: 0.2, benchmarks: [0, 1] },
  { name: "middling, medium and short", ability: 0.2, benchmarks: [1, 2] },
];

const benchmarkOf = Uint16Array.from({ length: PROMPTS }, (_, prompt) => prompt % BENCHMARKS);

function plant(seed: number): { fit: TwoWayFit; rawMean: number[] } {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const demand = Array.from(benchmarkOf, (benchmark) => (BENCHMARK_LENGTH[benchmark] as number) + normal());
  const columns = MODELS.map(({ ability, benchmarks }) => {
    const anchors = Uint32Array.from(benchmarkOf.keys()).filter((prompt) =>
      benchmarks.includes(benchmarkOf[prompt] as number),
    );
    const values = Float32Array.from(anchors, (prompt) => ability + (demand[prompt] as number) + normal());
    return { anchors, values };
  });
  const fit = fitTwoWay({ anchorCount: PROMPTS, benchmarkOf, benchmarkCount: BENCHMARKS, columns });
  return {
    fit,
    rawMean: columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0) / values.length),
  };
}

function indexOf(name: string): number {
  return MODELS.findIndex((model) => model.name === name);
}

describe.each([1, 2, 3, 4, 5])("The two-way fit on planted lengths, seed %i,", (seed) => {
  const { fit, rawMean } = plant(seed);
  const ability = (name: string) => fit.ability[indexOf(name)] as number;

  it("does not take a model for verbose because it had only prompts with long answers", () => {
    const terse = indexOf("terse, only long prompts");
    const wordy = indexOf("everywhere 0.9");
    // The raw means say the opposite of the truth; otherwise this proves nothing.
    expect(rawMean[terse]).toBeGreaterThan(rawMean[wordy] as number);
    expect(ability("terse, only long prompts")).toBeLessThan(ability("everywhere 0.3"));
  });

  it("does not take a model for terse because it had only prompts with short answers", () => {
    expect(rawMean[indexOf("wordy, only short prompts")]).toBeLessThan(
      rawMean[indexOf("everywhere 0")] as number,
    );
    expect(ability("wordy, only short prompts")).toBeGreaterThan(ability("everywhere 0.3"));
  });

  it("gives two equal models with different prompts about the same length", () => {
    const gap = ability("middling, long and medium") - ability("middling, medium and short");
    expect(Math.abs(gap)).toBeLessThan(0.45);
  });

  it("recovers the order of the models that have all prompts, and their lengths to within a third of an octave", () => {
    const everywhere = MODELS.map((model, index) => ({ ...model, index })).filter(
      ({ benchmarks }) => benchmarks.length === 3,
    );
    const estimates = everywhere.map(({ index }) => fit.ability[index] as number);
    expect(estimates).toEqual([...estimates].sort((a, b) => a - b));
    const shift =
      everywhere.reduce((sum, { ability: truth, index }) => sum + (fit.ability[index] as number) - truth, 0) /
      everywhere.length;
    for (const { ability: truth, index } of everywhere) {
      const error = (fit.ability[index] as number) - shift - truth;
      expect(Math.abs(error)).toBeLessThan(0.33);
    }
  });
});

describe("The two-way fit", () => {
  it("decomposes lengths into effects of models and of prompts, ignoring unknown cells", () => {
    const anchors = Uint32Array.from({ length: 200 }, (_, prompt) => prompt);
    const demand = (prompt: number) => 6 + (prompt % 5);
    const columns = [0, 1.5].map((habit, model) => ({
      anchors,
      values: Float32Array.from(anchors, (prompt) =>
        model === 1 && prompt % 4 === 0 ? Number.NaN : demand(prompt) + habit,
      ),
    }));
    const input = { anchorCount: 200, benchmarkOf: new Uint16Array(200), benchmarkCount: 1, columns };
    const { ability, level } = fitTwoWay(input);
    expect((ability[1] as number) - (ability[0] as number)).toBeCloseTo(1.5, 0);
    // The planted difference is 4; two noisy observations a prompt are shrunk toward the mean.
    expect((level[4] as number) - (level[0] as number)).toBeGreaterThan(2);
  });

  it("stays finite when all values are equal, and when none is known", () => {
    const anchors = Uint32Array.from({ length: 50 }, (_, prompt) => prompt);
    for (const value of [0, 7, Number.NaN]) {
      const columns = [0, 1].map(() => ({ anchors, values: new Float32Array(50).fill(value) }));
      const input = { anchorCount: 50, benchmarkOf: new Uint16Array(50), benchmarkCount: 1, columns };
      const { ability, level } = fitTwoWay(input);
      for (const estimate of [...ability, ...level]) expect(Number.isFinite(estimate)).toBe(true);
    }
  });
});

describe("The logistic link", () => {
  it("maps log-odds to a probability, and every mean to finite log-odds near it", () => {
    expect([-50, 0, 50].map(logisticLink.mean)).toEqual([expect.closeTo(0), 0.5, expect.closeTo(1)]);
    for (const mean of [0, 0.2, 0.5, 0.8, 1])
      expect(logisticLink.mean(logisticLink.start(mean))).toBeCloseTo(mean, 1);
  });

  it("gives every observation a positive weight, the largest near even odds", () => {
    const weights = [0, 0.01, 0.2, 0.5].map(logisticLink.weight);
    for (const weight of weights) expect(weight).toBeGreaterThan(0);
    expect(weights).toEqual([...weights].sort((a, b) => a - b));
  });
});
