import { seededRandom } from "../../../foundation/random.js";
import { type FactorInput, type GroupEffect, RANK } from "../ability-factors.js";

/** Prior mean of a test's loading on the first factor. */
export const GENERAL_LOADING = 0.8;

/** Initial residual variance of a test, and what a group with few tests shrinks to. */
export const RESIDUAL_VARIANCE = 0.15;

/** Initial variances of a variant about its base model, of a base model about its family, and of a family. */
export const START_VARIANCE = { variant: 0.15, base: 0.15, family: 0.1 };

/** What the fit has found so far. */
export interface FitState {
  readonly models: number;
  readonly family: Grouping;
  readonly base: Grouping;
  readonly covariates: readonly Float64Array[];
  readonly intercept: Float64Array;
  readonly loading: Float64Array[];
  readonly residual: Float64Array;
  readonly groupResidual: Float64Array;
  readonly testCovariance: Float64Array[];
  /** `[covariates × RANK]` */
  readonly weights: Float64Array;
  readonly weightCovariance: Float64Array[];
  readonly factors: Float64Array[];
  readonly covariance: Float64Array[];
  /** Prior of each model's factors at their last update, `[RANK]` each. */
  readonly priors: GroupEffect[];
  readonly variance: { variant: Float64Array; base: Float64Array; family: Float64Array };
}

/** Groups of models by a shared name, with an effect for each name and factor. */
interface Grouping {
  readonly names: readonly string[];
  readonly of: Uint32Array;
  readonly counts: Float64Array;
  /** `[names × RANK]` */
  readonly effect: Float64Array;
}

export function startState({ models, testGroups, observations, seed }: FactorInput): FitState {
  const random = seededRandom(seed);
  const small = () => 0.3 * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const tests = testGroups.length;
  const covariates = models.map((model) => model.covariates);
  const intercept = new Float64Array(tests);
  const counts = new Float64Array(tests);
  observations.test.forEach((test, row) => {
    intercept[test] = (intercept[test] as number) + (observations.value[row] as number);
    counts[test] = (counts[test] as number) + 1;
  });
  // Without a little noise the later factors would stay zero for ever: the fit is symmetric about them.
  const start = (first: number) => Float64Array.from({ length: RANK }, (_, k) => (k === 0 ? first : small()));
  return {
    models: models.length,
    family: groupingOf(models.map((model) => model.family)),
    base: groupingOf(models.map((model) => model.base)),
    covariates,
    intercept: intercept.map((sum, test) => sum / Math.max(1, counts[test] as number)),
    loading: testGroups.map(() => start(GENERAL_LOADING)),
    residual: new Float64Array(tests).fill(RESIDUAL_VARIANCE),
    groupResidual: new Float64Array(Math.max(0, ...testGroups) + 1).fill(RESIDUAL_VARIANCE),
    testCovariance: testGroups.map(() => new Float64Array((RANK + 1) ** 2)),
    weights: new Float64Array((covariates[0]?.length ?? 0) * RANK),
    weightCovariance: Array.from({ length: RANK }, () => new Float64Array((covariates[0]?.length ?? 0) ** 2)),
    priors: models.map(() => ({ mean: new Float64Array(RANK), variance: new Float64Array(RANK).fill(1) })),
    factors: models.map(() => start(0)),
    covariance: models.map(() => new Float64Array(RANK * RANK)),
    variance: {
      variant: new Float64Array(RANK).fill(START_VARIANCE.variant),
      base: new Float64Array(RANK).fill(START_VARIANCE.base),
      family: new Float64Array(RANK).fill(START_VARIANCE.family),
    },
  };
}

function groupingOf(names: readonly string[]): Grouping {
  const distinct = [...new Set(names)].sort();
  const indexOf = new Map(distinct.map((name, index) => [name, index]));
  const of = Uint32Array.from(names, (name) => indexOf.get(name) ?? 0);
  const counts = new Float64Array(distinct.length);
  for (const index of of) counts[index] = (counts[index] as number) + 1;
  return { names: distinct, of, counts, effect: new Float64Array(distinct.length * RANK) };
}

/** Prior mean of one factor of a model: by its covariates, family and base model. */
export function expectedFactor(state: FitState, model: number, factor: number): number {
  const { family, base } = state;
  return (
    linear(state.covariates[model] as Float64Array, state.weights, factor) +
    (family.effect[(family.of[model] as number) * RANK + factor] as number) +
    (base.effect[(base.of[model] as number) * RANK + factor] as number)
  );
}

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
