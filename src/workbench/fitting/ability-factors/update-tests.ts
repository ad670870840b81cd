import { expectedOn, type FactorObservations, RANK } from "../ability-factors.js";
import { inverseOf, solve } from "../linear-solve.js";
import { type FitState, GENERAL_LOADING, RESIDUAL_VARIANCE } from "./fit-state.js";
import type { ObservationRows } from "./update-model.js";

/** Precisions of the priors of a test's loadings. */
const LOADING_PRECISION = [4, 6, 6];

/** Weight of the prior for the residual variance of a group, in tests. */
const RESIDUAL_PSEUDO_MODELS = 6;

/** Variances are not estimated lower, on the log-odds scale. */
export const VARIANCE_FLOOR = 0.03;

/** Regression of a test's values on the factors, then its residual variance. */
export function updateTest(
  state: FitState,
  test: number,
  { observations, rows, group }: ObservationRows & { readonly group: number },
): void {
  if (rows.length === 0) return;
  const size = RANK + 1;
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  matrix[0] = 0.01;
  for (let k = 0; k < RANK; k++) matrix[(k + 1) * size + k + 1] = LOADING_PRECISION[k] as number;
  right[1] = (LOADING_PRECISION[0] as number) * GENERAL_LOADING;
  const residual = state.residual[test] as number;
  for (const row of rows) {
    const model = observations.model[row] as number;
    const weight = 1 / (residual + (observations.variance[row] as number));
    const factors = state.factors[model] as Float64Array;
    const covariance = state.covariance[model] as Float64Array;
    const x = (index: number) => (index === 0 ? 1 : (factors[index - 1] as number));
    for (let a = 0; a < size; a++) {
      right[a] = (right[a] as number) + weight * x(a) * (observations.value[row] as number);
      for (let b = 0; b < size; b++) {
        const spread = a > 0 && b > 0 ? (covariance[(a - 1) * RANK + b - 1] as number) : 0;
        matrix[a * size + b] = (matrix[a * size + b] as number) + weight * (x(a) * x(b) + spread);
      }
    }
  }
  const solution = solve(matrix, right);
  state.intercept[test] = solution[0] as number;
  state.loading[test] = solution.slice(1);
  state.testCovariance[test] = inverseOf(matrix, size);
  const common = state.groupResidual[group] as number;
  let sum = RESIDUAL_PSEUDO_MODELS * common;
  for (const row of rows) {
    const { squared, sampling } = residualOf(state, test, { observations, row });
    const share = residual / (residual + sampling);
    sum += share * share * squared + share * sampling;
  }
  state.residual[test] = Math.max(sum / (RESIDUAL_PSEUDO_MODELS + rows.length), VARIANCE_FLOOR);
}

function residualOf(
  state: FitState,
  test: number,
  { observations, row }: { readonly observations: FactorObservations; readonly row: number },
): { readonly squared: number; readonly sampling: number } {
  const model = observations.model[row] as number;
  const { value, variance } = expectedOn(
    {
      intercept: state.intercept[test] as number,
      loading: state.loading[test] as Float64Array,
      residualVariance: 0,
      covariance: state.testCovariance[test] as Float64Array,
    },
    { mean: state.factors[model] as Float64Array, covariance: state.covariance[model] as Float64Array },
  );
  const error = (observations.value[row] as number) - value;
  return { squared: error * error + variance, sampling: observations.variance[row] as number };
}

/** Residual variance of each group of tests: the mean of its tests, weighted by their models. */
export function updateGroupResiduals(
  state: FitState,
  groups: readonly number[],
  byTest: readonly (readonly number[])[],
): void {
  const sums = new Float64Array(state.groupResidual.length);
  const weights = new Float64Array(state.groupResidual.length);
  groups.forEach((group, test) => {
    const weight = byTest[test]?.length ?? 0;
    sums[group] = (sums[group] as number) + weight * (state.residual[test] as number);
    weights[group] = (weights[group] as number) + weight;
  });
  // A few models tell little about the variance: the guess counts as much as ten of them.
  sums.forEach((sum, group) => {
    state.groupResidual[group] = (sum + 10 * RESIDUAL_VARIANCE) / ((weights[group] as number) + 10);
  });
}
