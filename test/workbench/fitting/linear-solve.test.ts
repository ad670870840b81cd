import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inverseOf, solve } from "../../../src/workbench/fitting/linear-solve.js";

/** `root · rootᵀ + identity`, which is symmetric positive definite, and a right-hand side. */
const system = fc.integer({ min: 1, max: 8 }).chain((n) => {
  const numbers = (length: number) =>
    fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { minLength: length, maxLength: length });
  return fc.record({ root: numbers(n * n), right: numbers(n) }).map(({ root, right }) => {
    const matrix = new Float64Array(n * n);
    for (let row = 0; row < n; row++)
      for (let column = 0; column < n; column++)
        for (let k = 0; k < n; k++)
          matrix[row * n + column] =
            (matrix[row * n + column] as number) +
            (root[row * n + k] as number) * (root[column * n + k] as number) +
            (row === column ? 1 / n : 0);
    return { n, matrix, right: Float64Array.from(right) };
  });
});

function product(matrix: Float64Array, vector: Float64Array): Float64Array {
  const n = vector.length;
  return vector.map((_, row) =>
    vector.reduce((sum, value, column) => sum + (matrix[row * n + column] as number) * value, 0),
  );
}

describe("A dense linear system", () => {
  it("is solved and inverted without changing its inputs: the matrix times the solution is the right-hand side", () => {
    fc.assert(
      fc.property(system, ({ n, matrix, right }) => {
        const given = { matrix: matrix.slice(), right: right.slice() };
        const solution = solve(matrix, right);
        const found = product(matrix, solution);
        for (const [row, value] of right.entries()) expect(found[row]).toBeCloseTo(value, 8);
        const inverted = product(inverseOf(matrix, n), right);
        for (const [row, value] of solution.entries()) expect(inverted[row]).toBeCloseTo(value, 8);
        expect({ matrix, right }).toEqual(given);
      }),
      { numRuns: 40 },
    );
  });

  it("is refused where its matrix is not positive definite", () => {
    const indefinite = Float64Array.of(1, 2, 2, 1);
    expect(() => solve(indefinite, Float64Array.of(1, 1))).toThrow(RangeError);
    expect(() => inverseOf(indefinite, 2)).toThrow(/not positive definite/);
  });
});
