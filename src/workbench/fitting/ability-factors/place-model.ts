import {
  type FactorModelFacts,
  type FactorPosterior,
  type FactorPrior,
  type FactorTest,
  RANK,
} from "../ability-factors.js";
import { inverseOf, solve } from "../linear-solve.js";
import { linear, quadratic } from "./linear-forms.js";
import { addObservation } from "./update-model.js";

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
