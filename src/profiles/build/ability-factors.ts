import { inverseOf, solve } from "./linear-solve.js";
import { seededRandom } from "./random.js";

/**
 * Latent factors of the models' abilities, fitted to all measurements: skills on the topics of a set and published
 * scores. Bayesian factor analysis with a hierarchical prior:
 *
 * `value[model, test] = intercept[test] + loading[test] · factors[model] + residual`, on the log-odds scale, with
 * `factors[model] ~ N(weights · covariates + family + base model, variance)` and a residual variance for each test.
 *
 * Hence the expectation for a model with few scores follows from its release date, price, size, effort, family and base
 * model rather than from the average model, and a test with few models has little influence. Fitted by variational EM:
 * factors of models and parameters of tests have posteriors, and the effect of a family or base model on a model
 * excludes that model's own evidence, so that standard errors are calibrated for held-out values. O(observations ×
 * rank²) an iteration; deterministic.
 */

/** Facts of a model apart from its scores. */
export interface FactorModelFacts {
  /** Models of one family share an effect, and so do the effort variants of one base model. */
  readonly family: string;
  readonly base: string;
  /** `[covariates]`, about unit scale; the same length for all models. */
  readonly covariates: Float64Array;
}

/** One value a row; arrays of equal length. */
interface FactorObservations {
  readonly model: Uint32Array;
  readonly test: Uint32Array;
  /** Log-odds. */
  readonly value: Float64Array;
  /** Sampling variance of the value, ≥ 0. */
  readonly variance: Float64Array;
}

export interface FactorInput {
  readonly models: readonly FactorModelFacts[];
  /** A group a test: the residual variances of a group shrink to their common mean. */
  readonly testGroups: readonly number[];
  readonly observations: FactorObservations;
  readonly seed: number;
}

/** Parameters of a test. */
export interface FactorTest {
  readonly intercept: number;
  /** `[RANK]` */
  readonly loading: Float64Array;
  /** Variance of a model's result on the test that its factors do not explain. */
  readonly residualVariance: number;
  /** Covariance of intercept and loading, large for a test with few models; `[(1 + RANK) × (1 + RANK)]`. */
  readonly covariance: Float64Array;
}

/** Posterior of a model's factors. */
export interface FactorPosterior {
  /** `[RANK]` */
  readonly mean: Float64Array;
  /** `[RANK × RANK]` */
  readonly covariance: Float64Array;
}

export interface FactorFit {
  readonly tests: readonly FactorTest[];
  readonly posteriors: readonly FactorPosterior[];
  readonly prior: FactorPrior;
}

/** The hierarchical prior: with the tests, everything that is needed to place another model. */
export interface FactorPrior {
  /** `[covariates × RANK]` */
  readonly weights: Float64Array;
  /** Effects beyond the covariates: of a family, and of a base model including its family's. */
  readonly families: ReadonlyMap<string, GroupEffect>;
  readonly bases: ReadonlyMap<string, GroupEffect>;
  /** Covariance of the weights, `[covariates × covariates]` for each factor. */
  readonly weightCovariance: readonly Float64Array[];
  /** Variances of a variant about its base model, of a base model about its family, and of a family; `[RANK]` each. */
  readonly variance: {
    readonly variant: Float64Array;
    readonly base: Float64Array;
    readonly family: Float64Array;
  };
}

/** `[RANK]` each. */
interface GroupEffect {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/**
 * Number of factors. Three predicted held-out topics better than one or two, and four no better
 * (docs/decisions/0017-joint-evidence.md).
 */
export const RANK = 3;
const ITERATIONS = 40;
/** Prior mean of a test's loading on the first factor, and the precisions of the loadings' priors. */
const GENERAL_LOADING = 0.8;
const LOADING_PRECISION = [4, 6, 6];
const RESIDUAL_VARIANCE = 0.15;
/** Weight of the prior for the residual variance of a group, in tests. */
const RESIDUAL_PSEUDO_MODELS = 6;
const VARIANCE_FLOOR = 0.03;
const COVARIATE_PRECISION = 3;
/** Initial variances of a variant about its base model, of a base model about its family, and of a family. */
const START_VARIANCE = { variant: 0.15, base: 0.15, family: 0.1 };
/** Weight of these initial variances, in models or groups: four models of one maker cannot determine how much models differ. */
const VARIANCE_PSEUDO_COUNT = 4;

interface State {
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

/**
 * Expected result of a model with these factors on a test, on the log-odds scale, and its variance.
 *
 * @param about factors of the average model, `[RANK]`: the variance is then that of the difference to it, which
 * excludes the uncertainty of the test's intercept. That affects all models alike and is part of the prompts' ease.
 */
export function expectedOn(
  test: FactorTest,
  { mean, covariance }: FactorPosterior,
  { about }: { readonly about?: Float64Array | undefined } = {},
): { readonly value: number; readonly variance: number } {
  const size = RANK + 1;
  const intercept = about === undefined ? 1 : 0;
  const x = (index: number) =>
    index === 0 ? intercept : (mean[index - 1] as number) - (about?.[index - 1] ?? 0);
  let value = test.intercept;
  let variance = test.residualVariance;
  for (let j = 0; j < RANK; j++) {
    value += (test.loading[j] as number) * (mean[j] as number);
    for (let k = 0; k < RANK; k++) {
      const ofTest = test.covariance[(j + 1) * size + k + 1] as number;
      const both = (test.loading[j] as number) * (test.loading[k] as number) + ofTest;
      variance += both * (covariance[j * RANK + k] as number);
    }
  }
  for (let a = 0; a < size; a++)
    for (let b = 0; b < size; b++) variance += x(a) * (test.covariance[a * size + b] as number) * x(b);
  return { value, variance };
}

/** `x' · matrix · x`. */
function quadratic(matrix: Float64Array | undefined, x: Float64Array): number {
  if (matrix === undefined) return 0;
  let sum = 0;
  for (let a = 0; a < x.length; a++)
    for (let b = 0; b < x.length; b++)
      sum += (x[a] as number) * (matrix[a * x.length + b] as number) * (x[b] as number);
  return sum;
}

function startState({ models, testGroups, observations, seed }: FactorInput): State {
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

/** Evidence of the models' own answers and scores about one factor beyond the covariates, by base model and family. */
interface GroupSums {
  /** Precision and precision-weighted sum by model, base model and family. */
  readonly model: { readonly precision: Float64Array; readonly sum: Float64Array };
  readonly base: { readonly precision: Float64Array; readonly sum: Float64Array };
  readonly family: { readonly precision: Float64Array; readonly sum: Float64Array };
  /** Family of each base model. */
  readonly familyOf: Uint32Array;
}

function groupSums(state: State, factor: number): GroupSums {
  const empty = (length: number) => ({
    precision: new Float64Array(length),
    sum: new Float64Array(length),
  });
  const sums = {
    model: empty(state.models),
    base: empty(state.base.names.length),
    family: empty(state.family.names.length),
    familyOf: new Uint32Array(state.base.names.length),
  };
  const variant = state.variance.variant[factor] as number;
  for (let model = 0; model < state.models; model++) {
    const base = state.base.of[model] as number;
    sums.familyOf[base] = state.family.of[model] as number;
    const prior = state.priors[model] as GroupEffect;
    const priorVariance = prior.variance[factor] as number;
    const variance = (state.covariance[model] as Float64Array)[factor * RANK + factor] as number;
    // The model's own evidence: the posterior without the prior.
    const own = variance > 0 ? 1 / variance - 1 / priorVariance : 0;
    if (own < 1e-6) continue;
    const mean = (state.factors[model] as Float64Array)[factor] as number;
    const value = (mean / variance - (prior.mean[factor] as number) / priorVariance) / own;
    const precision = 1 / (variant + 1 / own);
    const beyond = value - linear(state.covariates[model] as Float64Array, state.weights, factor);
    sums.model.precision[model] = precision;
    sums.model.sum[model] = precision * beyond;
    sums.base.precision[base] = (sums.base.precision[base] as number) + precision;
    sums.base.sum[base] = (sums.base.sum[base] as number) + precision * beyond;
  }
  for (let base = 0; base < sums.familyOf.length; base++) {
    const family = sums.familyOf[base] as number;
    const weight = weightInFamily(state, sums, { factor, base });
    const precision = sums.base.precision[base] as number;
    if (precision === 0) continue;
    sums.family.precision[family] = (sums.family.precision[family] as number) + weight;
    sums.family.sum[family] =
      (sums.family.sum[family] as number) + (weight * (sums.base.sum[base] as number)) / precision;
  }
  return sums;
}

function weightInFamily(
  state: State,
  sums: Pick<GroupSums, "base">,
  { factor, base }: { readonly factor: number; readonly base: number },
): number {
  const precision = sums.base.precision[base] as number;
  return precision === 0 ? 0 : 1 / ((state.variance.base[factor] as number) + 1 / precision);
}

/** Posterior of a family's effect without one of its base models; of the whole family for base −1. */
function familyWithout(
  state: State,
  sums: GroupSums,
  { factor, family, base }: { readonly factor: number; readonly family: number; readonly base: number },
): { readonly mean: number; readonly variance: number } {
  let precision = (sums.family.precision[family] as number) + 1 / (state.variance.family[factor] as number);
  let sum = sums.family.sum[family] as number;
  if (base >= 0 && (sums.base.precision[base] as number) > 0) {
    const weight = weightInFamily(state, sums, { factor, base });
    precision -= weight;
    sum -= (weight * (sums.base.sum[base] as number)) / (sums.base.precision[base] as number);
  }
  return { mean: sum / precision, variance: 1 / precision };
}

/** Posterior of a base model's effect without one of its variants, including its family's; with all of them for model −1. */
function baseWithout(
  state: State,
  sums: GroupSums,
  { factor, base, model }: { readonly factor: number; readonly base: number; readonly model: number },
): { readonly mean: number; readonly variance: number } {
  const family = familyWithout(state, sums, { factor, family: sums.familyOf[base] as number, base });
  const prior = 1 / (family.variance + (state.variance.base[factor] as number));
  const without = (of: "precision" | "sum") =>
    (sums.base[of][base] as number) - (model < 0 ? 0 : (sums.model[of][model] as number));
  const precision = prior + Math.max(0, without("precision"));
  return { mean: (prior * family.mean + without("sum")) / precision, variance: 1 / precision };
}

/** Prior of each model's factors from its family, base model and covariates, without its own evidence. */
function updateModelPriors(state: State): void {
  for (let factor = 0; factor < RANK; factor++) {
    const sums = groupSums(state, factor);
    for (let model = 0; model < state.models; model++) {
      const covariates = state.covariates[model] as Float64Array;
      const found = baseWithout(state, sums, { factor, base: state.base.of[model] as number, model });
      const prior = state.priors[model] as GroupEffect;
      prior.mean[factor] = found.mean + linear(covariates, state.weights, factor);
      prior.variance[factor] =
        found.variance +
        (state.variance.variant[factor] as number) +
        quadratic(state.weightCovariance[factor], covariates);
    }
  }
}

function groupEffects(state: State): Pick<FactorPrior, "families" | "bases"> {
  const empty = (): GroupEffect => ({ mean: new Float64Array(RANK), variance: new Float64Array(RANK) });
  const families = new Map(state.family.names.map((name) => [name, empty()]));
  const bases = new Map(state.base.names.map((name) => [name, empty()]));
  for (let factor = 0; factor < RANK; factor++) {
    const sums = groupSums(state, factor);
    state.family.names.forEach((name, family) => {
      put(families.get(name), factor, familyWithout(state, sums, { factor, family, base: -1 }));
    });
    state.base.names.forEach((name, base) => {
      put(bases.get(name), factor, baseWithout(state, sums, { factor, base, model: -1 }));
    });
  }
  return { families, bases };
}

function put(
  into: GroupEffect | undefined,
  factor: number,
  { mean, variance }: { readonly mean: number; readonly variance: number },
): void {
  if (into === undefined) return;
  into.mean[factor] = mean;
  into.variance[factor] = variance;
}

function rowsBy(keys: Uint32Array, count: number): number[][] {
  const rows: number[][] = Array.from({ length: count }, () => []);
  keys.forEach((key, row) => {
    rows[key]?.push(row);
  });
  return rows;
}

/** `covariates · weights` for one factor. */
function linear(covariates: Float64Array, weights: Float64Array, factor: number): number {
  let sum = 0;
  for (let c = 0; c < covariates.length; c++)
    sum += (covariates[c] as number) * (weights[c * RANK + factor] as number);
  return sum;
}

function expectedFactor(state: State, model: number, factor: number): number {
  const { family, base } = state;
  return (
    linear(state.covariates[model] as Float64Array, state.weights, factor) +
    (family.effect[(family.of[model] as number) * RANK + factor] as number) +
    (base.effect[(base.of[model] as number) * RANK + factor] as number)
  );
}

interface NormalEquations {
  readonly precision: Float64Array;
  readonly right: Float64Array;
}

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

interface Rows {
  readonly observations: FactorObservations;
  readonly rows: readonly number[];
}

/** Posterior of one model's factors at fixed tests and prior. */
function updateModel(state: State, model: number, { observations, rows }: Rows): void {
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

/** Updates the effects of base models, families and covariates at fixed factors, then the variances of all levels. */
function updatePrior(state: State): void {
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

function updateEffects(state: State, factor: number, level: "base" | "family"): void {
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
function updateWeights(state: State, factor: number, covariates: number): void {
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

/** Regression of a test's values on the factors, then its residual variance. */
function updateTest(
  state: State,
  test: number,
  { observations, rows, group }: Rows & { readonly group: number },
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
  state: State,
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
function updateGroupResiduals(
  state: State,
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
