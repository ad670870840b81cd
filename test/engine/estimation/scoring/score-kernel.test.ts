import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openScoreKernel } from "../../../../src/engine/estimation/scoring/score-kernel.js";
import {
  allocateScoreMemory,
  NEIGHBOUR_CAPACITY,
  type ScoreMemory,
} from "../../../../src/engine/estimation/scoring/score-memory.js";
import { seededRandom } from "../../../../src/foundation/random.js";

const TOPICS = 24;
/** A fixed seed: the tolerances are of sums of 32-bit floats. */
const RUNS = { numRuns: 40, seed: 1 };

/** More models than the columns that the kernel adds at once, and fewer. */
const shape = fc.record({
  anchors: fc.integer({ min: 1, max: 60 }),
  models: fc.integer({ min: 1, max: 70 }),
  seed: fc.integer(),
});
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

/** A memory filled at random. */
function filled({ anchors, models, seed }: Shape): ScoreMemory {
  const random = seededRandom(seed);
  const scores = allocateScoreMemory({ anchors, models, topics: TOPICS });
  for (const table of Object.values(scores.tables)) fill(table, random);
  fill(scores.cells.quality, () => Math.floor(256 * random()));
  fill(scores.cells.length, () => Math.floor(65_536 * random()));
  return scores;
}

function fill(array: Float32Array | Uint8Array | Uint16Array, value: () => number): void {
  for (let at = 0; at < array.length; at++) array[at] = value();
}

/** `count` anchors, some more than once, with weights in (0, 1]. */
function neighboursOf(scores: ScoreMemory, { count, seed }: { count: number; seed: number }) {
  const random = seededRandom(seed + 1);
  const anchors = Int32Array.from({ length: count }, () => Math.floor(scores.shape.anchors * random()));
  return { anchors, weights: Float32Array.from({ length: count }, () => 1 - random()) };
}

/** Some of the buffer is unused. */
function weightedTopics(seed: number) {
  const random = seededRandom(seed + 2);
  const topic = Uint16Array.from([...Array(TOPICS).keys()].filter(() => random() < 0.4));
  const weight = Float64Array.from(topic, () => random() / 8);
  return { topic, weight, count: Math.floor(topic.length * (0.5 + random() / 2)) };
}

const counts = fc.integer({ min: 0, max: 2 * NEIGHBOUR_CAPACITY + 3 });
const share = fc.double({ min: 0, max: 1, noNaN: true });

describe("The score kernel's sums over neighbours", () => {
  it("are the weighted sums of the score table's cells", () => {
    fc.assert(
      fc.property(shape, counts, (world, count) => {
        const scores = filled(world);
        const { models } = scores.shape;
        const { anchors, weights } = neighboursOf(scores, { count, seed: world.seed });
        const sums = openScoreKernel(scores).sumNeighbours(anchors, weights);
        const weighted = (cells: Uint8Array | Uint16Array, model: number) =>
          anchors.reduce(
            (sum, anchor, at) => sum + (weights[at] ?? 0) * (cells[anchor * models + model] ?? 0),
            0,
          );
        for (const kind of ["quality", "length"] as const)
          for (let model = 0; model < models; model++) {
            const expected = weighted(scores.cells[kind], model);
            expect(Math.abs((sums[kind][model] as number) - expected)).toBeLessThan(1e-5 * expected + 1e-6);
          }
      }),
      RUNS,
    );
  });
});

describe("The score kernel's blend of topics", () => {
  it("is the weighted sum of topics and of the expectation over all of them; coverage is that of the topics alone", () => {
    fc.assert(
      fc.property(shape, share, (world, inDistribution) => {
        const scores = filled(world);
        const { models } = scores.shape;
        const topics = weightedTopics(world.seed);
        const blend = openScoreKernel(scores).blendTopics(topics, inDistribution);
        for (let model = 0; model < models; model++) {
          const at = (row: number) => row * models + model;
          let quality = (1 - inDistribution) * (scores.tables.quality[at(TOPICS)] as number);
          let length = (1 - inDistribution) * (scores.tables.length[at(TOPICS)] as number);
          let coverage = 0;
          for (let entry = 0; entry < topics.count; entry++) {
            const topic = topics.topic[entry] as number;
            const weight = topics.weight[entry] as number;
            quality += inDistribution * weight * (scores.tables.quality[at(topic)] as number);
            length += inDistribution * weight * (scores.tables.length[at(topic)] as number);
            coverage += weight * (scores.tables.coverage[at(topic)] as number);
          }
          expect(blend.quality[model]).toBeCloseTo(quality, 5);
          expect(blend.length[model]).toBeCloseTo(length, 5);
          expect(blend.coverage[model]).toBeCloseTo(coverage, 5);
        }
      }),
      RUNS,
    );
  });
});

it("The score kernel's results are the same to the last bit after any earlier call", () => {
  fc.assert(
    fc.property(shape, counts, counts, (world, first, second) => {
      const scores = filled(world);
      const kernel = openScoreKernel(scores);
      const compute = (seed: number, count: number) => {
        const { anchors, weights } = neighboursOf(scores, { count, seed });
        return structuredClone([
          kernel.sumNeighbours(anchors, weights),
          kernel.blendTopics(weightedTopics(seed), 0.3),
        ]);
      };
      const fresh = compute(world.seed, first);
      compute(world.seed + 5, second);
      expect(compute(world.seed, first)).toEqual(fresh);
    }),
    { numRuns: 30 },
  );
});

it("The score kernel refuses tables that exceed the addressable memory", () => {
  const huge = { anchors: 1_000_000, models: 2000, topics: TOPICS };
  expect(() => allocateScoreMemory(huge)).toThrow(/2000 models on 1000000 anchors/);
});
