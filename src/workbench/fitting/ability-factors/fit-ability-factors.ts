import type { FactorFit, FactorInput } from "../ability-factors.js";
import { startState } from "./fit-state.js";
import { groupEffects, updateModelPriors } from "./group-effects.js";
import { updateModel } from "./update-model.js";
import { updatePrior } from "./update-prior.js";
import { updateGroupResiduals, updateTest } from "./update-tests.js";

const ITERATIONS = 40;

/** Deterministic for a seed. */
export function fitAbilityFactors(input: FactorInput): FactorFit {
  const state = startState(input);
  const byModel = rowsBy(input.observations.model, input.models.length);
  const byTest = rowsBy(input.observations.test, input.testGroups.length);
  for (let iteration = 0; iteration < ITERATIONS; iteration++) {
    updateModelPriors(state);
    for (let model = 0; model < state.models; model++)
      updateModel(state, model, { observations: input.observations, rows: byModel[model] ?? [] });
    updatePrior(state);
    byTest.forEach((rows, test) => {
      updateTest(state, test, { observations: input.observations, rows, group: input.testGroups[test] ?? 0 });
    });
    updateGroupResiduals(state, input.testGroups, byTest);
  }
  return {
    tests: state.loading.map((loading, test) => ({
      intercept: state.intercept[test] as number,
      loading,
      residualVariance: state.residual[test] as number,
      covariance: state.testCovariance[test] as Float64Array,
    })),
    posteriors: state.factors.map((mean, model) => ({
      mean,
      covariance: state.covariance[model] as Float64Array,
    })),
    prior: {
      weights: state.weights,
      weightCovariance: state.weightCovariance,
      ...groupEffects(state),
      variance: state.variance,
    },
  };
}

function rowsBy(keys: Uint32Array, count: number): number[][] {
  const rows: number[][] = Array.from({ length: count }, () => []);
  keys.forEach((key, row) => {
    rows[key]?.push(row);
  });
  return rows;
}
