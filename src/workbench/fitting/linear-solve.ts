/**
 * Dense solves of small symmetric positive definite systems by Cholesky's decomposition. Matrices are row-major, `[n × n]`.
 */

/** Inverse of a symmetric positive definite matrix; O(n³). @throws RangeError when it is not positive definite */
export function inverseOf(matrix: Float64Array, n: number): Float64Array {
  const factor = choleskyOf(matrix, n);
  const inverse = new Float64Array(n * n);
  const column = new Float64Array(n);
  for (let c = 0; c < n; c++) {
    column.fill(0);
    column[c] = 1;
    solveInPlace(factor, column);
    for (let r = 0; r < n; r++) inverse[r * n + c] = column[r] as number;
  }
  return inverse;
}

/** Solution of `matrix · x = right`. @throws RangeError when the matrix is not positive definite */
export function solve(matrix: Float64Array, right: Float64Array): Float64Array {
  const solution = right.slice();
  solveInPlace(choleskyOf(matrix, right.length), solution);
  return solution;
}

function choleskyOf(matrix: Float64Array, n: number): Float64Array {
  const factor = new Float64Array(n * n);
  for (let row = 0; row < n; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * n + column] as number;
      for (let k = 0; k < column; k++)
        sum -= (factor[row * n + k] as number) * (factor[column * n + k] as number);
      if (row !== column) factor[row * n + column] = sum / (factor[column * n + column] as number);
      else if (sum > 0) factor[row * n + row] = Math.sqrt(sum);
      else throw new RangeError("the matrix is not positive definite");
    }
  }
  return factor;
}

function solveInPlace(factor: Float64Array, values: Float64Array): void {
  const n = values.length;
  for (let row = 0; row < n; row++) {
    let sum = values[row] as number;
    for (let k = 0; k < row; k++) sum -= (factor[row * n + k] as number) * (values[k] as number);
    values[row] = sum / (factor[row * n + row] as number);
  }
  for (let row = n - 1; row >= 0; row--) {
    let sum = values[row] as number;
    for (let k = row + 1; k < n; k++) sum -= (factor[k * n + row] as number) * (values[k] as number);
    values[row] = sum / (factor[row * n + row] as number);
  }
}
