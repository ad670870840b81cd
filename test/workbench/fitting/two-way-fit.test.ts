import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { logisticLink } from "../../../src/workbench/fitting/logistic-link.js";
import { fitTwoWay, type TwoWayFit } from "../../../src/workbench/fitting/two-way-fit.js";
import { meanOf, normalOf } from "../statistics.js";

const PROMPTS = 1200;
const BENCHMARKS = 3;
/** Mean log2 length of answers on each benchmark beyond a model's habit: long for everybody on the first, short on the last. */
const BENCHMARK_LENGTH = [2, 0, -1.5];

interface PlantedModel {
  readonly name: string;
  /** Log2 length of its answers beyond what the prompt asks for. */
  readonly ability: number;
  readonly benchmarks: readonly number[];
}

/** Ten models, two of which met only one benchmark. */
const MODELS: readonly PlantedModel[] = [
  ...[-1.2, -0.8, -0.4, 0, 0.3, 0.6, 0.9, 1.3].map((ability) => ({
    name: `everywhere ${ability}`,
    ability,
    benchmarks: [0, 1, 2],
  })),
  { name: "terse, only long prompts", ability: -0.6, benchmarks: [0] },
  { name: "wordy, only short prompts", ability: 1.1, benchmarks: [2] },
];

const benchmarkOf = Uint16Array.from({ length: PROMPTS }, (_, prompt) => prompt % BENCHMARKS);

function plant(seed: number): { fit: TwoWayFit; rawMean: number[] } {
  const random = seededRandom(seed);
  const normal = normalOf(random);
  const demand = Array.from(benchmarkOf, (benchmark) => (BENCHMARK_LENGTH[benchmark] as number) + normal());
  const columns = MODELS.map(({ ability, benchmarks }) => {
    const anchors = Uint32Array.from(benchmarkOf.keys()).filter((prompt) =>
      benchmarks.includes(benchmarkOf[prompt] as number),
    );
    const values = Float32Array.from(anchors, (prompt) => ability + (demand[prompt] as number) + normal());
    return { anchors, values };
  });
  const fit = fitTwoWay({ anchorCount: PROMPTS, benchmarkOf, benchmarkCount: BENCHMARKS, columns });
  return { fit, rawMean: columns.map(({ values }) => meanOf(values)) };
}

function indexOf(name: string): number {
  return MODELS.findIndex((model) => model.name === name);
}

describe.each([1, 2])("The two-way fit on planted lengths, seed %i,", (seed) => {
  const { fit, rawMean } = plant(seed);
  const ability = (name: string) => fit.ability[indexOf(name)] as number;
  const raw = (name: string) => rawMean[indexOf(name)] as number;

  it("does not take a model for verbose or terse because it had only prompts with long or short answers", () => {
    const [terse, wordy] = ["terse, only long prompts", "wordy, only short prompts"];
    // The raw means say the opposite of the truth; otherwise this proves nothing.
    expect(raw(terse)).toBeGreaterThan(raw("everywhere 0.9"));
    expect(ability(terse)).toBeLessThan(ability("everywhere 0.3"));
    expect(raw(wordy)).toBeLessThan(raw("everywhere 0"));
    expect(ability(wordy)).toBeGreaterThan(ability("everywhere 0.3"));
  });

  it("recovers the order of the models that have all prompts, and their lengths to within a third of an octave", () => {
    const everywhere = MODELS.filter(({ benchmarks }) => benchmarks.length === 3);
    const estimates = everywhere.map(({ name }) => ability(name));
    expect(estimates).toEqual(estimates.toSorted((a, b) => a - b));
    const misses = everywhere.map(({ name, ability: truth }) => ability(name) - truth);
    for (const miss of misses) expect(Math.abs(miss - meanOf(misses))).toBeLessThan(0.33);
  });
});

describe("The two-way fit", () => {
  /** To the values of models on prompts of one benchmark. */
  const fitTo = (columns: readonly Float32Array[]) => {
    const anchorCount = columns[0]?.length ?? 0;
    const anchors = Uint32Array.from({ length: anchorCount }, (_, prompt) => prompt);
    const benchmarkOf = new Uint16Array(anchorCount);
    const seen = columns.map((values) => ({ anchors, values }));
    return fitTwoWay({ anchorCount, benchmarkOf, benchmarkCount: 1, columns: seen });
  };

  it("stays finite when all values are equal, and when none is known", () => {
    for (const value of [0, 7, Number.NaN]) {
      const { ability, level } = fitTo([0, 1].map(() => new Float32Array(50).fill(value)));
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
});
