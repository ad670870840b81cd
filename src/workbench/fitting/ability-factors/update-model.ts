import {
  type FactorModelFacts,
  type FactorObservations,
  type FactorPosterior,
  type FactorPrior,
  type FactorTest,
  type GroupEffect,
  RANK,
} from "../ability-factors.js";
import { inverseOf, solve } from "../linear-solve.js";
import { type FitState, linear, quadratic } from "./fit-state.js";

/** The observations of one model or of one test, by their rows. */
export interface ObservationRows {
  readonly observations: FactorObservations;
  readonly rows: readonly number[];
}

/** Posterior of one model's factors at fixed tests and prior. */
export function updateModel(state: FitState, model: number, { observations, rows }: ObservationRows): void {
  const precision = new Float64Array(RANK * RANK);
  const right = new Float64Array(RANK);
  for (let k = 0; k < RANK; k++) {
    const prior = state.priors[model] as GroupEffect;
    const variance = prior.variance[k] as number;
    precision[k * RANK + k] = 1 / variance;
    right[k] = (prior.mean[k] as number) / variance;
  }
  for (const row of rows) {
    const test = observations.test[row] as number;
    addObservation(
      { precision, right },
      {
        test: {
          intercept: state.intercept[test] as number,
          loading: state.loading[test] as Float64Array,
          covariance: state.testCovariance[test] as Float64Array,
        },
        value: observations.value[row] as number,
        variance: (state.residual[test] as number) + (observations.variance[row] as number),
      },
    );
  }
  state.covariance[model] = inverseOf(precision, RANK);
  state.factors[model] = solve(precision, right);
}

/** Of the factors of a model: `precision · factors = right`. */
interface NormalEquations {
  readonly precision: Float64Array;
  readonly right: Float64Array;
}

/** Adds what one value says about the factors of its model. */
function addObservation(
  { precision, right }: NormalEquations,
  seen: {
    readonly test: Pick<FactorTest, "intercept" | "loading" | "covariance">;
    readonly value: number;
    readonly variance: number;
  },
): void {
  const { loading, intercept, covariance } = seen.test;
  const weight = 1 / seen.variance;
  const size = RANK + 1;
  for (let j = 0; j < RANK; j++) {
    const row = (j + 1) * size;
    const pull = (loading[j] as number) * (seen.value - intercept) - (covariance[row] as number);
    right[j] = (right[j] as number) + weight * pull;
    for (let k = 0; k < RANK; k++) {
      const square = (loading[j] as number) * (loading[k] as number) + (covariance[row + k + 1] as number);
      precision[j * RANK + k] = (precision[j * RANK + k] as number) + weight * square;
    }
  }
}

/** Factors of a model from its scores and the prior; also for models outside the fit. */
export function placeModel(
  scores: readonly { readonly test: FactorTest; readonly value: number; readonly variance: number }[],
  { prior, facts }: { readonly prior: FactorPrior; readonly facts: FactorModelFacts },
): FactorPosterior {
  const precision = new Float64Array(RANK * RANK);
  const right = new Float64Array(RANK);
  const base = prior.bases.get(facts.base);
  const family = prior.families.get(facts.family);
  for (let k = 0; k < RANK; k++) {
    const { variant, base: betweenBases, family: betweenFamilies } = prior.variance;
    // A base model or family that the fit has not seen leaves its whole variance open.
    const ofFamily = family?.variance[k] ?? (betweenFamilies[k] as number);
    const ofBase = base?.variance[k] ?? ofFamily + (betweenBases[k] as number);
    const expected = linear(facts.covariates, prior.weights, k) + (base?.mean[k] ?? family?.mean[k] ?? 0);
    const variance = (variant[k] as number) + ofBase + quadratic(prior.weightCovariance[k], facts.covariates);
    precision[k * RANK + k] = 1 / variance;
    right[k] = expected / variance;
  }
  for (const { test, value, variance } of scores)
    addObservation({ precision, right }, { test, value, variance: variance + test.residualVariance });
  return { mean: solve(precision, right), covariance: inverseOf(precision, RANK) };
}
