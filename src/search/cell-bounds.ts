import { type AnchorVectors, allocateAnchorVectors } from "./anchor-vectors.js";
import type { Cells } from "./cells.js";
import { openKernel } from "./similarity.js";

/**
 * What similarity to a query the anchors of each cell may reach. Seen from the query, the anchors of a cell lie about its
 * mean, and deviate from it along the one direction that matters by a share of how wide the cell is:
 *
 * `expected = query · mean`, `deviation = √(1 − |mean|²) · √(1 − cos²(query, mean))`.
 */
export interface CellBounds {
  readonly cells: number;
  /** Compares the query, of unit length or all zeros, with the means. */
  load(query: Float32Array): void;
  /** `[cells]`; overwritten by the next `load`. */
  readonly expected: Float32Array;
  deviation(cell: number): number;
}

/** Copies of one vector still deviate by what rounding makes of them: a hundredth, squared. */
const LEAST_SQUARE = 1e-4;

export function openCellBounds(means: Cells["means"], dimensions: number): CellBounds {
  const vectors = allocateAnchorVectors(means.scales.length, dimensions);
  vectors.codes.set(means.codes);
  vectors.scales.set(means.scales);
  const kernel = openKernel(vectors);
  const expected = new Float32Array(vectors.count);
  const squares = Float64Array.from({ length: vectors.count }, (_, cell) => squareOf(vectors, cell));
  return {
    cells: vectors.count,
    expected,
    load(query) {
      kernel.load(query);
      expected.set(kernel.all().similarities);
    },
    deviation(cell) {
      const square = squares[cell] as number;
      const along = expected[cell] as number;
      const aside = square > 0 ? 1 - (along * along) / square : 1;
      return Math.sqrt(Math.max(LEAST_SQUARE, (1 - square) * aside));
    },
  };
}

/** Squared length of a row. */
function squareOf({ codes, scales, dimensions }: AnchorVectors, row: number): number {
  let sum = 0;
  for (let at = row * dimensions; at < (row + 1) * dimensions; at++) sum += (codes[at] as number) ** 2;
  return sum * (scales[row] as number) ** 2;
}
