import { RANK } from "../ability-factors.js";
import { inverseOf, solve } from "../linear-solve.js";
import { expectedFactor, type FitState, linear, START_VARIANCE } from "./fit-state.js";
import { VARIANCE_FLOOR } from "./update-tests.js";

const COVARIATE_PRECISION = 3;

/** Weight of these initial variances, in models or groups: four models of one maker cannot determine how much models differ. */
const VARIANCE_PSEUDO_COUNT = 4;

/** Updates the effects of base models, families and covariates at fixed factors, then the variances of all levels. */
export function updatePrior(state: FitState): void {
  const covariates = state.covariates[0]?.length ?? 0;
  for (let k = 0; k < RANK; k++) {
    updateEffects(state, k, "base");
    updateEffects(state, k, "family");
    updateWeights(state, k, covariates);
    let squares = 0;
    for (let model = 0; model < state.models; model++) {
      const error = ((state.factors[model] as Float64Array)[k] as number) - expectedFactor(state, model, k);
      squares += error ** 2 + ((state.covariance[model] as Float64Array)[k * RANK + k] as number);
    }
    state.variance.variant[k] = pooledVariance(squares, state.models, START_VARIANCE.variant);
  }
}

function updateEffects(state: FitState, factor: number, level: "base" | "family"): void {
  const { of, counts, effect } = state[level];
  const sums = new Float64Array(counts.length);
  for (let model = 0; model < state.models; model++) {
    const group = of[model] as number;
    const error =
      ((state.factors[model] as Float64Array)[factor] as number) -
      expectedFactor(state, model, factor) +
      (effect[group * RANK + factor] as number);
    sums[group] = (sums[group] as number) + error;
  }
  const within = state.variance.variant[factor] as number;
  const between = state.variance[level][factor] as number;
  let squares = 0;
  for (let group = 0; group < counts.length; group++) {
    const precision = (counts[group] as number) / within + 1 / between;
    const mean = (sums[group] as number) / within / precision;
    effect[group * RANK + factor] = mean;
    squares += mean ** 2 + 1 / precision;
  }
  state.variance[level][factor] = pooledVariance(squares, counts.length, START_VARIANCE[level]);
}

function pooledVariance(squares: number, count: number, guess: number): number {
  const pooled = (squares + VARIANCE_PSEUDO_COUNT * guess) / (count + VARIANCE_PSEUDO_COUNT);
  return Math.max(pooled, VARIANCE_FLOOR);
}

/** Ridge regression of the remaining factors on the covariates. */
function updateWeights(state: FitState, factor: number, covariates: number): void {
  if (covariates === 0) return;
  const matrix = new Float64Array(covariates * covariates);
  const right = new Float64Array(covariates);
  for (let c = 0; c < covariates; c++) matrix[c * covariates + c] = COVARIATE_PRECISION;
  for (let model = 0; model < state.models; model++) {
    const x = state.covariates[model] as Float64Array;
    const target =
      ((state.factors[model] as Float64Array)[factor] as number) -
      expectedFactor(state, model, factor) +
      linear(x, state.weights, factor);
    for (let a = 0; a < covariates; a++) {
      const value = x[a] as number;
      if (value === 0) continue;
      right[a] = (right[a] as number) + value * target;
      for (let b = 0; b < covariates; b++)
        matrix[a * covariates + b] = (matrix[a * covariates + b] as number) + value * (x[b] as number);
    }
  }
  solve(matrix, right).forEach((weight, c) => {
    state.weights[c * RANK + factor] = weight;
  });
  const { variant, base, family } = state.variance;
  const scatter = (variant[factor] as number) + (base[factor] as number) + (family[factor] as number);
  state.weightCovariance[factor] = inverseOf(matrix, covariates).map((value) => value * scatter);
}
