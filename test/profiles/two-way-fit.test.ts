import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/profiles/build/random.js";
import {
  fitTwoWay,
  identityLink,
  logisticLink,
  type TwoWayFit,
} from "../../src/profiles/build/two-way-fit.js";

const PROMPTS = 1800;
const BENCHMARKS = 3;
/** Mean ease of each benchmark: the first is easy for everybody, the last hard. */
const BENCHMARK_EASE = [2, 0, -1.5];

interface PlantedModel {
  readonly name: string;
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
  { name: "weak, only easy prompts", ability: -0.6, benchmarks: [0] },
  { name: "strong, only hard prompts", ability: 1.1, benchmarks: [2] },
  { name: "middling, easy and medium", ability: 0.2, benchmarks: [0, 1] },
  { name: "middling, medium and hard", ability: 0.2, benchmarks: [1, 2] },
];

const benchmarkOf = Uint16Array.from({ length: PROMPTS }, (_, prompt) => prompt % BENCHMARKS);

function plant(seed: number): { fit: TwoWayFit; rawMean: number[] } {
  const random = seededRandom(seed);
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const ease = Array.from(benchmarkOf, (benchmark) => (BENCHMARK_EASE[benchmark] as number) + normal());
  const columns = MODELS.map(({ ability, benchmarks }) => {
    const anchors = Uint32Array.from(benchmarkOf.keys()).filter((prompt) =>
      benchmarks.includes(benchmarkOf[prompt] as number),
    );
    const values = Float32Array.from(anchors, (prompt) =>
      random() < logisticLink.mean(ability + (ease[prompt] as number)) ? 1 : 0,
    );
    return { anchors, values };
  });
  const fit = fitTwoWay(
    { anchorCount: PROMPTS, benchmarkOf, benchmarkCount: BENCHMARKS, columns },
    logisticLink,
  );
  return {
    fit,
    rawMean: columns.map(({ values }) => values.reduce((sum, value) => sum + value, 0) / values.length),
  };
}

function indexOf(name: string): number {
  return MODELS.findIndex((model) => model.name === name);
}

describe.each([1, 2, 3, 4, 5])("the two-way fit on planted scores, seed %i", (seed) => {
  const { fit, rawMean } = plant(seed);
  const ability = (name: string) => fit.ability[indexOf(name)] as number;

  it("does not let a model look good because it met only easy prompts", () => {
    const weak = indexOf("weak, only easy prompts");
    const best = indexOf("everywhere 1.3");
    // The raw means say the opposite of the truth; otherwise this proves nothing.
    expect(rawMean[weak]).toBeGreaterThan(rawMean[best] as number);
    expect(ability("weak, only easy prompts")).toBeLessThan(ability("everywhere 0.3"));
  });

  it("does not let a model look bad because it met only hard prompts", () => {
    expect(rawMean[indexOf("strong, only hard prompts")]).toBeLessThan(
      rawMean[indexOf("everywhere 0")] as number,
    );
    expect(ability("strong, only hard prompts")).toBeGreaterThan(ability("everywhere 0.3"));
  });

  it("puts two equal models with different prompts at about the same ability", () => {
    const gap = ability("middling, easy and medium") - ability("middling, medium and hard");
    expect(Math.abs(gap)).toBeLessThan(0.45);
  });

  it("recovers the order of the models scored everywhere, and abilities to within three standard errors", () => {
    const everywhere = MODELS.map((model, place) => ({ ...model, place })).filter(
      ({ benchmarks }) => benchmarks.length === 3,
    );
    const estimates = everywhere.map(({ place }) => fit.ability[place] as number);
    expect(estimates).toEqual([...estimates].sort((a, b) => a - b));
    const shift =
      everywhere.reduce((sum, { ability: truth, place }) => sum + (fit.ability[place] as number) - truth, 0) /
      everywhere.length;
    for (const { ability: truth, place } of everywhere) {
      const error = (fit.ability[place] as number) - shift - truth;
      expect(Math.abs(error)).toBeLessThan(3 * Math.sqrt(fit.abilityVariance[place] as number) + 0.15);
    }
  });
});

describe("the two-way fit", () => {
  it("is less sure of a model with fewer scores", () => {
    const anchors = Uint32Array.from({ length: 300 }, (_, prompt) => prompt);
    const values = Float32Array.from(anchors, (prompt) => (prompt % 3 === 0 ? 0 : 1));
    const columns = [
      { anchors, values },
      { anchors: anchors.slice(0, 20), values: values.slice(0, 20) },
    ];
    const input = { anchorCount: 300, benchmarkOf: new Uint16Array(300), benchmarkCount: 1, columns };
    const { abilityVariance } = fitTwoWay(input, logisticLink);
    expect(abilityVariance[1]).toBeGreaterThan(abilityVariance[0] as number);
  });

  it("explains lengths by a model's habit and a prompt's demand, leaving out cells that are not known", () => {
    const anchors = Uint32Array.from({ length: 200 }, (_, prompt) => prompt);
    const demand = (prompt: number) => 6 + (prompt % 5);
    const columns = [0, 1.5].map((habit, model) => ({
      anchors,
      values: Float32Array.from(anchors, (prompt) =>
        model === 1 && prompt % 4 === 0 ? Number.NaN : demand(prompt) + habit,
      ),
    }));
    const input = { anchorCount: 200, benchmarkOf: new Uint16Array(200), benchmarkCount: 1, columns };
    const { ability, level } = fitTwoWay(input, identityLink);
    expect((ability[1] as number) - (ability[0] as number)).toBeCloseTo(1.5, 0);
    // The planted difference is 4; two noisy observations a prompt are shrunk toward the mean.
    expect((level[4] as number) - (level[0] as number)).toBeGreaterThan(2);
  });

  it("stays finite when all scores are equal", () => {
    const anchors = Uint32Array.from({ length: 50 }, (_, prompt) => prompt);
    for (const score of [0, 1]) {
      const columns = [0, 1].map(() => ({ anchors, values: new Float32Array(50).fill(score) }));
      const input = { anchorCount: 50, benchmarkOf: new Uint16Array(50), benchmarkCount: 1, columns };
      const { ability, level } = fitTwoWay(input, logisticLink);
      for (const value of [...ability, ...level]) expect(Number.isFinite(value)).toBe(true);
    }
  });
});
