import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/profiles/build/random.js";
import { openScoreKernel } from "../../../src/profiles/scoring/score-kernel.js";
import {
  allocateScoreMemory,
  NEIGHBOUR_CAPACITY,
  type ScoreMemory,
} from "../../../src/profiles/scoring/score-memory.js";

const CLUSTERS = 24;
const COARSE = 8;

const shape = fc.record({
  anchors: fc.integer({ min: 1, max: 60 }),
  /** Columns and anchors seen, in per cent, of each panel. */
  panels: fc.array(
    fc.record({ width: fc.integer({ min: 1, max: 35 }), seen: fc.integer({ min: 0, max: 100 }) }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
  seed: fc.integer(),
});

/** A memory filled at random, where each panel saw a random share of the anchors. */
function filled({
  anchors,
  panels,
  seed,
}: typeof shape extends fc.Arbitrary<infer T> ? T : never): ScoreMemory {
  const random = seededRandom(seed);
  const saw = panels.map(({ seen }) =>
    Array.from({ length: anchors }, (_, anchor) => anchor).filter(() => random() * 100 <= seen),
  );
  const scores = allocateScoreMemory({
    anchors,
    models: panels.reduce((sum, { width }) => sum + width, 0),
    clusters: CLUSTERS,
    coarseClusters: COARSE,
    panels: panels.map(({ width }, panel) => ({ width, rows: (saw[panel] as number[]).length })),
  });
  let entry = 0;
  for (let anchor = 0; anchor < anchors; anchor++) {
    saw.forEach((list, panel) => {
      const row = list.indexOf(anchor);
      if (row < 0) return;
      scores.panelOf[entry] = panel;
      scores.rowOf[entry++] = row;
    });
    scores.start[anchor + 1] = entry;
  }
  for (const table of Object.values(scores.tables)) fill(table, random);
  fill(scores.levels, () => 4 * random() - 2);
  for (const { quality, length } of scores.panels) {
    fill(quality, () => Math.floor(256 * random()));
    fill(length, () => Math.floor(65_536 * random()));
  }
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

function membershipsOf(seed: number) {
  const random = seededRandom(seed + 2);
  const cluster = Uint16Array.from([...Array(CLUSTERS).keys()].filter(() => random() < 0.4));
  return { cluster, weight: Float64Array.from(cluster, () => random() / 8) };
}

const copy = <T>(value: T): T => structuredClone(value);
const counts = fc.integer({ min: 0, max: 2 * NEIGHBOUR_CAPACITY + 3 });

describe("sums over neighbours", () => {
  it("are the weighted sums of what each panel saw", () => {
    fc.assert(
      fc.property(shape, counts, (world, count) => {
        const scores = filled(world);
        const { anchors, weights } = neighboursOf(scores, { count, seed: world.seed });
        const sums = openScoreKernel(scores).sumNeighbours(anchors, weights);
        const expected = scores.panels.map((panel) => Array.from(panel.sums.quality, () => 0));
        const weight = Array.from({ length: scores.panels.length + 1 }, () => 0);
        anchors.forEach((anchor, place) => {
          const w = weights[place] as number;
          weight[scores.panels.length] = (weight[scores.panels.length] as number) + w;
          for (
            let seen = scores.start[anchor] as number;
            seen < (scores.start[anchor + 1] as number);
            seen++
          ) {
            const p = scores.panelOf[seen] as number;
            const into = expected[p] as number[];
            weight[p] = (weight[p] as number) + w;
            into.forEach((sum, column) => {
              const cell = (scores.rowOf[seen] as number) * into.length + column;
              into[column] = sum + w * (scores.panels[p]?.quality[cell] as number);
            });
          }
        });
        for (const [p, sum] of weight.entries()) expect(sums.levels[4 * p]).toBeCloseTo(sum, 3);
        for (const [p, columns] of expected.entries())
          for (const [column, sum] of columns.entries())
            expect(Math.abs((sums.panels[p]?.quality[column] as number) - sum)).toBeLessThan(
              1e-5 * sum + 1e-6,
            );
      }),
    );
  });

  it("are the same to the last bit by SIMD and by plain loops, whatever was asked before", () => {
    fc.assert(
      fc.property(shape, counts, counts, (world, first, second) => {
        const scores = filled(world);
        const simd = openScoreKernel(scores, "simd");
        const plain = openScoreKernel(scores, "plain");
        expect([simd.kind, plain.kind]).toEqual(["simd", "plain"]);
        const a = neighboursOf(scores, { count: first, seed: world.seed });
        const b = neighboursOf(scores, { count: second, seed: world.seed + 5 });
        const fresh = copy(simd.sumNeighbours(b.anchors, b.weights));
        simd.sumNeighbours(a.anchors, a.weights);
        expect(copy(simd.sumNeighbours(b.anchors, b.weights))).toEqual(fresh);
        expect(copy(plain.sumNeighbours(b.anchors, b.weights))).toEqual(fresh);
      }),
    );
  });
});

describe("a blend of clusters", () => {
  it("is the weighted sum of their rows and of the overall expectation", () => {
    fc.assert(
      fc.property(shape, fc.double({ min: 0, max: 1, noNaN: true }), (world, home) => {
        const scores = filled(world);
        const { models } = scores.shape;
        const { cluster, weight } = membershipsOf(world.seed);
        const blend = openScoreKernel(scores).blendClusters({ cluster, weight }, home);
        for (let model = 0; model < models; model++) {
          let quality = (1 - home) * (scores.tables.quality[CLUSTERS * models + model] as number);
          let coverage = 0;
          cluster.forEach((row, entry) => {
            const share = home * (weight[entry] as number);
            quality += share * (scores.tables.quality[row * models + model] as number);
            if (row < COARSE) coverage += share * (scores.tables.coverage[row * models + model] as number);
          });
          expect(blend.quality[model]).toBeCloseTo(quality, 5);
          expect(blend.coverage[model]).toBeCloseTo(coverage, 5);
        }
      }),
    );
  });

  it("is the same to the last bit by SIMD and by plain loops", () => {
    fc.assert(
      fc.property(shape, fc.double({ min: 0, max: 1, noNaN: true }), (world, home) => {
        const scores = filled(world);
        const memberships = membershipsOf(world.seed);
        const simd = copy(openScoreKernel(scores, "simd").blendClusters(memberships, home));
        expect(copy(openScoreKernel(scores, "plain").blendClusters(memberships, home))).toEqual(simd);
      }),
    );
  });
});

it("refuses tables that no memory can hold", () => {
  const panels = [{ width: 2000, rows: 1_000_000 }];
  const huge = { anchors: 1_000_000, models: 2000, clusters: CLUSTERS, coarseClusters: COARSE, panels };
  expect(() => allocateScoreMemory(huge)).toThrow(/2000 models on 1000000 anchors/);
});
