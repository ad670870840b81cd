import { describe, expect, it } from "vitest";
import { seededRandom } from "../../../src/foundation/random.js";
import { fitAbilityFactors } from "../../../src/workbench/fitting/ability-factors/fit-ability-factors.js";
import { placeModel } from "../../../src/workbench/fitting/ability-factors/update-model.js";
import {
  expectedOn,
  type FactorFit,
  type FactorInput,
  type FactorModelFacts,
  type FactorTest,
  RANK,
} from "../../../src/workbench/fitting/ability-factors.js";
import { meanOf, normalOf, shareBelow } from "../statistics.js";

const MODELS = 80;
const TESTS = 24;
const FAMILIES = 8;
/** Sampling and residual standard deviations of the planted values, log-odds. */
const SAMPLING = 0.15;
const RESIDUAL = 0.3;

/** What a model scored on a test, log-odds. */
interface Row {
  readonly model: number;
  readonly test: number;
  readonly value: number;
}

interface Planted {
  readonly models: readonly FactorModelFacts[];
  readonly rows: readonly Row[];
  /** What the models would score without sampling noise, `[models][tests]`. */
  readonly truth: readonly (readonly number[])[];
  /** Cells that were left out, with that: three in ten. */
  readonly hidden: readonly Row[];
}

/**
 * Models of a few families, whose general factor grows with their release date, and whose other two are their family's
 * and their own.
 */
function plant(seed: number): Planted {
  const random = seededRandom(seed);
  const normal = normalOf(random);
  const families = Array.from({ length: FAMILIES }, () => [0, 1, 2].map(() => 0.4 * normal()));
  const models = Array.from({ length: MODELS }, (_, model): FactorModelFacts => {
    const covariates = Float64Array.of(1, normal());
    return { family: `family-${model % FAMILIES}`, base: `base-${model}`, covariates };
  });
  const factors = models.map(({ covariates }, model) =>
    [0, 1, 2].map(
      (k) =>
        (families[model % FAMILIES]?.[k] as number) +
        (k === 0 ? 0.9 * (covariates[1] as number) : 0) +
        (k === 0 ? 0.35 : 0.5) * normal(),
    ),
  );
  const tests = Array.from({ length: TESTS }, () => ({
    intercept: normal(),
    loading: [0.8 + 0.2 * normal(), 0.5 * normal(), 0.5 * normal()],
  }));
  const truth = factors.map((ofModel) =>
    tests.map(
      ({ intercept, loading }) =>
        loading.reduce((sum, weight, k) => sum + weight * (ofModel[k] as number), intercept) +
        RESIDUAL * normal(),
    ),
  );
  const cells = truth.flatMap((values, model) => values.map((value, test) => ({ model, test, value })));
  const [rows, hidden]: [Row[], Row[]] = [[], []];
  for (const cell of cells)
    if (random() < 0.3) hidden.push(cell);
    else rows.push({ ...cell, value: cell.value + SAMPLING * normal() });
  return { models, rows, truth, hidden };
}

const inputOf = (models: readonly FactorModelFacts[], rows: readonly Row[]): FactorInput => ({
  models,
  testGroups: Array.from({ length: TESTS }, (_, test) => test % 2),
  observations: {
    model: Uint32Array.from(rows, ({ model }) => model),
    test: Uint32Array.from(rows, ({ test }) => test),
    value: Float64Array.from(rows, ({ value }) => value),
    variance: new Float64Array(rows.length).fill(SAMPLING ** 2),
  },
  seed: 5,
});

function expectedAt(fit: FactorFit, model: number, test: number) {
  return expectedOn(fit.tests[test] as FactorTest, fit.posteriors[model] as FactorFit["posteriors"][number]);
}

/** Planted worlds and their fits, by seed. */
const WORLDS = [1, 2, 3, 4].map((seed) => {
  const planted = plant(seed);
  return { ...planted, fit: fitAbilityFactors(inputOf(planted.models, planted.rows)) };
});
const [FIRST] = WORLDS as [(typeof WORLDS)[number]];

describe("The ability factors of planted models", () => {
  it("predict the values of held-out models and tests about as well as their residuals allow", () => {
    const rms = (misses: readonly number[]) => Math.sqrt(meanOf(misses.map((miss) => miss ** 2)));
    for (const { fit, truth, hidden } of WORLDS) {
      const misses = hidden.map(({ model, test, value }) => expectedAt(fit, model, test).value - value);
      expect(rms(misses)).toBeLessThan(1.4 * RESIDUAL);
      // Knowing nothing but the tests' means would be far worse; otherwise this proves nothing.
      const means = Array.from({ length: TESTS }, (_, test) =>
        meanOf(truth.map((values) => values[test] as number)),
      );
      const spread = hidden.map(({ test, value }) => (means[test] as number) - value);
      expect(rms(spread)).toBeGreaterThan(2.8 * RESIDUAL);
    }
  });

  it("have standard errors that cover held-out values at the expected rate", () => {
    const misses = WORLDS.flatMap(({ fit, hidden }) =>
      hidden.map(({ model, test, value: actual }) => {
        const { value, variance } = expectedAt(fit, model, test);
        return Math.abs(value - actual) / Math.sqrt(variance);
      }),
    );
    expect(Math.abs(shareBelow(1, misses) - 0.68)).toBeLessThan(0.08);
    expect(shareBelow(2, misses)).toBeGreaterThan(0.92);
  });

  it("of models without any score follow family and date, not the average, with standard errors that cover the truth", () => {
    const isNew = (model: number) => model % 5 === 0;
    const found = WORLDS.slice(0, 2).flatMap(({ models: facts, rows, truth }) => {
      const fit = fitAbilityFactors(
        inputOf(
          facts,
          rows.filter(({ model }) => !isNew(model)),
        ),
      );
      const known = truth.filter((_, model) => !isNew(model));
      return truth.flatMap((values, model) =>
        values.flatMap((actual, test) => {
          if (!isNew(model)) return [];
          const { value, variance } = expectedAt(fit, model, test);
          const average = meanOf(known.map((others) => others[test] as number));
          const miss = Math.abs(value - actual);
          return [{ errors: miss / Math.sqrt(variance), gain: Math.abs(average - actual) - miss }];
        }),
      );
    });
    expect(meanOf(found.map(({ gain }) => gain))).toBeGreaterThan(0.2);
    const errors = found.map((one) => one.errors);
    expect(shareBelow(2, errors)).toBeGreaterThan(0.9);
  });

  it("are the same to the last bit when fitted again", () => {
    expect(fitAbilityFactors(inputOf(FIRST.models, FIRST.rows))).toEqual(FIRST.fit);
  });
});

describe("Placing a model with ability factors", () => {
  const { models, rows, fit } = FIRST;
  const { prior } = fit;
  const scoresOf = (model: number) =>
    rows
      .filter((row) => row.model === model)
      .map(({ test, value }) => ({ test: fit.tests[test] as FactorTest, value, variance: SAMPLING ** 2 }));

  it("returns the posterior of the fit for a model of the fit", () => {
    for (const model of [0, 7, 33]) {
      // The effect of its own base model would be its own scores a second time.
      const facts = { ...(models[model] as FactorModelFacts), base: "placed again" };
      const placed = placeModel(scoresOf(model), { prior, facts });
      fit.tests.forEach((ofTest, test) => {
        const [again, fitted] = [expectedOn(ofTest, placed), expectedAt(fit, model, test)];
        expect(again.value).toBeCloseTo(fitted.value, 1);
        expect(Math.sqrt(again.variance)).toBeCloseTo(Math.sqrt(fitted.variance), 1);
      });
    }
  });

  it("returns the prior where a model has no scores", () => {
    const facts = { family: "none", base: "none", covariates: Float64Array.of(0, 0) };
    const { mean, covariance } = placeModel([], { prior, facts });
    expect([...mean]).toEqual(new Array(RANK).fill(0));
    const { variant, base, family } = prior.variance;
    for (let k = 0; k < RANK; k++) {
      const sum = (variant[k] as number) + (base[k] as number) + (family[k] as number);
      expect(covariance[k * RANK + k]).toBeCloseTo(sum, 8);
    }
  });
});

it("Uncertainty about a test's intercept does not add to the error of a model about the average", () => {
  const covariance = new Float64Array((RANK + 1) ** 2);
  covariance[0] = 4;
  const loading = new Float64Array(RANK).fill(1);
  const test = { intercept: 0.5, loading, residualVariance: 0.2, covariance };
  const posterior = { mean: new Float64Array(RANK).fill(0.3), covariance: new Float64Array(RANK * RANK) };
  const about = new Float64Array(RANK);
  expect(expectedOn(test, posterior).variance).toBeCloseTo(4.2, 10);
  expect(expectedOn(test, posterior, { about }).variance).toBeCloseTo(0.2, 10);
  expect(expectedOn(test, posterior, { about }).value).toBe(expectedOn(test, posterior).value);
});
