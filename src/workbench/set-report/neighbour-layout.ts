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
 * Lays out unit vectors in a plane so that neighbours stay neighbours: starts from the first two principal components, then
 * attracts each vector to its nearest ones and repels it from random ones, by the forces of UMAP (McInnes, Healy & Melville
 * 2018) with equal weights. Distances between groups mean little. Deterministic by the seed. O(150 × 10 × vectors).
 */
export function neighbourLayout(
  vectors: readonly Float32Array[],
  { seed }: { readonly seed: number },
): Layout {
  const random = seededRandom(seed);
  const first = principalComponent(vectors);
  const second = principalComponent(vectors, { orthogonalTo: first });
  const x = scaled(first.scores, START);
  const y = scaled(second.scores, START);
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

function scaled(values: Float64Array, extent: number): Float64Array {
  const most = values.reduce((largest, value) => Math.max(largest, Math.abs(value)), 1e-9);
  return values.map((value) => (extent * value) / (2 * most));
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

const POWER_ITERATIONS = 8;

/** A direction along which vectors differ. */
interface PrincipalComponent {
  /** Unit length, `[dimensions]`. */
  readonly direction: Float64Array;
  /** Of each vector, its distance from the mean along the direction. */
  readonly scores: Float64Array;
}

/**
 * The direction in which vectors differ most, by power iteration: exact enough to order them by. O(vectors × dimensions).
 *
 * @param options.orthogonalTo an earlier component
 */
function principalComponent(
  vectors: readonly Float32Array[],
  { orthogonalTo }: { readonly orthogonalTo?: PrincipalComponent } = {},
): PrincipalComponent {
  const dimensions = vectors[0]?.length ?? 0;
  const mean = meanOf(vectors, dimensions);
  // Any start that is orthogonal to no likely direction.
  let direction: Float64Array = Float64Array.from({ length: dimensions }, (_, d) => Math.sin(d + 1));
  let scores: Float64Array = new Float64Array(vectors.length);
  for (let iteration = 0; iteration < POWER_ITERATIONS; iteration++) {
    if (orthogonalTo !== undefined) direction = without(direction, orthogonalTo.direction);
    scores = scoresOf(vectors, { mean, direction });
    const next = new Float64Array(dimensions);
    vectors.forEach((vector, row) => {
      const score = scores[row] as number;
      for (let d = 0; d < dimensions; d++)
        next[d] = (next[d] as number) + score * ((vector[d] as number) - (mean[d] as number));
    });
    const length = Math.hypot(...next);
    if (length === 0) break;
    direction = next.map((value) => value / length);
  }
  return { direction, scores };
}

function meanOf(vectors: readonly Float32Array[], dimensions: number): Float64Array {
  const mean = new Float64Array(dimensions);
  for (const vector of vectors)
    for (let d = 0; d < dimensions; d++)
      mean[d] = (mean[d] as number) + (vector[d] as number) / vectors.length;
  return mean;
}

function scoresOf(
  vectors: readonly Float32Array[],
  { mean, direction }: { readonly mean: Float64Array; readonly direction: Float64Array },
): Float64Array {
  return Float64Array.from(vectors, (vector) => {
    let score = 0;
    for (let d = 0; d < mean.length; d++)
      score += ((vector[d] as number) - (mean[d] as number)) * (direction[d] as number);
    return score;
  });
}

function without(direction: Float64Array, other: Float64Array): Float64Array {
  const shared = direction.reduce((sum, value, d) => sum + value * (other[d] as number), 0);
  return direction.map((value, d) => value - shared * (other[d] as number));
}
