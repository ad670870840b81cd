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
export interface FactorObservations {
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
export interface GroupEffect {
  readonly mean: Float64Array;
  readonly variance: Float64Array;
}

/**
 * Number of factors. Three predicted held-out topics better than one or two, and four no better
 * (docs/decisions/joint-evidence.md).
 */
export const RANK = 3;

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
