import { RANK } from "../ability-factors.js";

/** `covariates · weights` for one factor. */
export function linear(covariates: Float64Array, weights: Float64Array, factor: number): number {
  let sum = 0;
  for (let c = 0; c < covariates.length; c++)
    sum += (covariates[c] as number) * (weights[c * RANK + factor] as number);
  return sum;
}

/** `x' · matrix · x`. */
export function quadratic(matrix: Float64Array | undefined, x: Float64Array): number {
  if (matrix === undefined) return 0;
  let sum = 0;
  for (let a = 0; a < x.length; a++)
    for (let b = 0; b < x.length; b++)
      sum += (x[a] as number) * (matrix[a * x.length + b] as number) * (x[b] as number);
  return sum;
}
