import { createExactIndex, quantise } from "../../engine/index.js";
import { seededRandom } from "../../foundation/random.js";

/** Positions in the unit square, `[vectors]`. */
export interface Layout {
  readonly x: Float64Array;
  readonly y: Float64Array;
}

const NEIGHBOURS = 10;
const EPOCHS = 150;
const NEGATIVES = 4;
/** Shape of the attraction for points that may come as near as a tenth of the usual distance (UMAP's `min_dist` of 0.1). */
const [A, B] = [1.577, 0.895];
const LONGEST_STEP = 4;
/** Extent of the start, in units of the usual distance. */
const START = 20;

/**
 * Lays out unit vectors in a plane so that neighbours stay neighbours: starts from a random projection, then
 * attracts each vector to its nearest ones and repels it from random ones, by the forces of UMAP (McInnes, Healy & Melville
 * 2018) with equal weights. Distances between groups mean little. Deterministic by the seed. O(150 × 10 × vectors).
 */
export function neighbourLayout(
  vectors: readonly Float32Array[],
  { seed }: { readonly seed: number },
): Layout {
  const random = seededRandom(seed);
  const [x, y] = [projected(vectors, random), projected(vectors, random)];
  const forces = new Forces({ x, y });
  const edges = vectors.length > 2 ? nearestOf(vectors) : [];
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    forces.rate = 1 - epoch / EPOCHS;
    edges.forEach((near, point) => {
      for (const other of near) {
        forces.attract(point, other);
        for (let draw = 0; draw < NEGATIVES; draw++)
          forces.repel(point, Math.floor(random() * vectors.length));
      }
    });
  }
  return { x: inUnitInterval(x), y: inUnitInterval(y) };
}

function nearestOf(vectors: readonly Float32Array[]): Int32Array[] {
  const dimensions = vectors[0]?.length ?? 0;
  const rows = new Float32Array(vectors.length * dimensions);
  vectors.forEach((vector, row) => {
    rows.set(vector, row * dimensions);
  });
  const index = createExactIndex(quantise(rows, dimensions));
  return vectors.map((vector, point) =>
    index.search(vector, NEIGHBOURS + 1).anchors.filter((other) => other !== point),
  );
}

/** Moves points along what attracts or repels a pair of them, some twenty million times for a map: nothing is made on the way. */
class Forces {
  /** Share of a force that points are moved by. */
  rate = 1;
  readonly #x: Float64Array;
  readonly #y: Float64Array;

  constructor({ x, y }: Layout) {
    this.#x = x;
    this.#y = y;
  }

  /** Moves both points. */
  attract(point: number, other: number): void {
    const squared = this.#squaredDistance(point, other);
    if (squared === 0) return;
    const power = squared ** B;
    const by = ((-2 * A * B * power) / squared / (1 + A * power)) * this.rate;
    this.#move(point, other, by);
    this.#move(other, point, by);
  }

  /** Moves the first point alone. */
  repel(point: number, other: number): void {
    if (point === other) return;
    const squared = this.#squaredDistance(point, other);
    this.#move(point, other, ((2 * B) / ((0.001 + squared) * (1 + A * squared ** B))) * this.rate);
  }

  #squaredDistance(point: number, other: number): number {
    const dx = (this.#x[point] as number) - (this.#x[other] as number);
    const dy = (this.#y[point] as number) - (this.#y[other] as number);
    return dx * dx + dy * dy;
  }

  /** Moves a point away from another one by a multiple of their distance. */
  #move(point: number, other: number, by: number): void {
    const [x, y] = [this.#x, this.#y];
    x[point] = moved(x[point] as number, x[other] as number, by);
    y[point] = moved(y[point] as number, y[other] as number, by);
  }
}

const moved = (place: number, from: number, by: number): number =>
  place + Math.max(-LONGEST_STEP, Math.min(LONGEST_STEP, by * (place - from)));

/** Along a random direction, from -START / 2 to START / 2. */
function projected(vectors: readonly Float32Array[], random: () => number): Float64Array {
  const direction = Float64Array.from(vectors[0] ?? [], () => random() - 0.5);
  const values = Float64Array.from(vectors, (vector) =>
    direction.reduce((sum, value, d) => sum + value * (vector[d] as number), 0),
  );
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-9);
  return values.map((value) => (START * value) / (2 * most));
}

/** Share of the points at each end of an axis that are moved to its edge, so that a few outliers do not press all others together. */
const OUTLIERS = 0.005;

function inUnitInterval(values: Float64Array): Float64Array {
  const sorted = values.toSorted();
  const outliers = Math.floor(OUTLIERS * values.length);
  const low = sorted[outliers] ?? 0;
  const span = Math.max((sorted[values.length - 1 - outliers] ?? 0) - low, 1e-9);
  return values.map((value) => Math.min(1, Math.max(0, (value - low) / span)));
}
