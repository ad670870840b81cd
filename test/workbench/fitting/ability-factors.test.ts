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

const MODELS = 80;
const TESTS = 24;
const FAMILIES = 8;
/** Sampling and residual standard deviations of the planted values, log-odds. */
const SAMPLING = 0.15;
const RESIDUAL = 0.3;

interface Planted {
  readonly input: FactorInput;
  /** What the models would score without sampling noise, `[models][tests]`. */
  readonly truth: readonly (readonly number[])[];
  readonly hidden: readonly { readonly model: number; readonly test: number }[];
}

interface PlantOptions {
  readonly seed: number;
  /** Share of the cells left out. */
  readonly hide: number;
}

const normalOf = (random: () => number) => () =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/**
 * Models of a few families, whose general factor grows with their release date, and whose other two are their family's
 * and their own.
 */
function plant({ seed, hide }: PlantOptions): Planted {
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
  const seen = { model: [] as number[], test: [] as number[], value: [] as number[] };
  const hidden: { model: number; test: number }[] = [];
  truth.forEach((values, model) => {
    values.forEach((value, test) => {
      if (random() < hide) hidden.push({ model, test });
      else {
        seen.model.push(model);
        seen.test.push(test);
        seen.value.push(value + SAMPLING * normal());
      }
    });
  });
  const input: FactorInput = {
    models,
    testGroups: tests.map((_, test) => test % 2),
    observations: {
      model: Uint32Array.from(seen.model),
      test: Uint32Array.from(seen.test),
      value: Float64Array.from(seen.value),
      variance: new Float64Array(seen.value.length).fill(SAMPLING ** 2),
    },
    seed: 5,
  };
  return { input, truth, hidden };
}

function expectedAt(fit: FactorFit, model: number, test: number) {
  return expectedOn(fit.tests[test] as FactorTest, fit.posteriors[model] as FactorFit["posteriors"][number]);
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The input with only the rows for which `keep` holds. */
function keepRows(input: FactorInput, keep: (model: number, test: number) => boolean): FactorInput {
  const { model, test, value, variance } = input.observations;
  const kept = [...model.keys()].filter((row) => keep(model[row] as number, test[row] as number));
  const observations = {
    model: Uint32Array.from(kept, (row) => model[row] as number),
    test: Uint32Array.from(kept, (row) => test[row] as number),
    value: Float64Array.from(kept, (row) => value[row] as number),
    variance: Float64Array.from(kept, (row) => variance[row] as number),
  };
  return { ...input, observations };
}

describe("The ability factors of planted models", () => {
  it("predict the values of held-out models and tests about as well as their residuals allow", () => {
    for (const seed of [1, 2, 3]) {
      const { input, truth, hidden } = plant({ seed, hide: 0.3 });
      const fit = fitAbilityFactors(input);
      const squares = hidden.map(
        ({ model, test }) => (expectedAt(fit, model, test).value - (truth[model]?.[test] as number)) ** 2,
      );
      const spread = hidden.map(({ model, test }) => {
        const mean = meanOf(truth.map((values) => values[test] as number));
        return ((truth[model]?.[test] as number) - mean) ** 2;
      });
      expect(Math.sqrt(meanOf(squares))).toBeLessThan(1.4 * RESIDUAL);
      // Knowing nothing but the tests' means would be far worse; otherwise this proves nothing.
      expect(Math.sqrt(meanOf(spread))).toBeGreaterThan(2.8 * RESIDUAL);
    }
  });

  it("have standard errors that cover held-out values at the expected rate", () => {
    const misses = [1, 2, 3, 4, 5, 6].flatMap((seed) => {
      const { input, truth, hidden } = plant({ seed, hide: 0.4 });
      const fit = fitAbilityFactors(input);
      return hidden.map(({ model, test }) => {
        const { value, variance } = expectedAt(fit, model, test);
        return Math.abs(value - (truth[model]?.[test] as number)) / Math.sqrt(variance);
      });
    });
    const within = (errors: number) => meanOf(misses.map((miss) => (miss < errors ? 1 : 0)));
    expect(within(1)).toBeGreaterThan(0.6);
    expect(within(1)).toBeLessThan(0.76);
    expect(within(2)).toBeGreaterThan(0.92);
  });

  it("of models without any score follow family and date, not the average, with standard errors that cover the truth", () => {
    const misses: number[] = [];
    const gains: number[] = [];
    for (const seed of [1, 2, 3, 4]) {
      const { input, truth } = plant({ seed, hide: 0.2 });
      const isNew = (model: number) => model % 5 === 0;
      const fit = fitAbilityFactors(keepRows(input, (model) => !isNew(model)));
      for (let model = 0; model < MODELS; model += 5) {
        for (let test = 0; test < TESTS; test++) {
          const actual = truth[model]?.[test] as number;
          const { value, variance } = expectedAt(fit, model, test);
          const average = meanOf(
            truth.filter((_, other) => !isNew(other)).map((values) => values[test] as number),
          );
          misses.push(Math.abs(value - actual) / Math.sqrt(variance));
          gains.push(Math.abs(average - actual) - Math.abs(value - actual));
        }
      }
    }
    expect(meanOf(gains)).toBeGreaterThan(0.2);
    expect(meanOf(misses.map((miss) => (miss < 2 ? 1 : 0)))).toBeGreaterThan(0.9);
  });

  it("of a model with few scores follow its date rather than the average", () => {
    const { input } = plant({ seed: 9, hide: 0 });
    const [newest, oldest] = [1.8, -1.8];
    const withTwo = (date: number): FactorInput => ({
      ...input,
      models: input.models.map((facts, model) =>
        model === 0 ? { ...facts, family: "another", covariates: Float64Array.of(1, date) } : facts,
      ),
    });
    const general = (date: number, scores: number) => {
      const fit = fitAbilityFactors(keepRows(withTwo(date), (model, test) => model !== 0 || test < scores));
      return meanOf(fit.tests.map((_, test) => expectedAt(fit, 0, test).value));
    };
    expect(general(newest, 0) - general(oldest, 0)).toBeGreaterThan(1.5);
    expect(general(newest, 1) - general(oldest, 1)).toBeGreaterThan(0.3);
    // Enough scores overrule it: the same model is the same whatever its date.
    expect(Math.abs(general(newest, TESTS) - general(oldest, TESTS))).toBeLessThan(0.25);
  });

  it("are the same to the last bit when fitted again", () => {
    const { input } = plant({ seed: 4, hide: 0.3 });
    expect(fitAbilityFactors(input)).toEqual(fitAbilityFactors(input));
  });
});

describe("Placing a model with ability factors", () => {
  it("returns the posterior of the fit for a model of the fit", () => {
    const { input } = plant({ seed: 2, hide: 0.3 });
    const fit = fitAbilityFactors(input);
    for (const model of [0, 7, 33]) {
      const placed = placeModel(scoresOf(input, fit, model), {
        prior: fit.prior,
        // The effect of its own base model would be its own scores a second time.
        facts: { ...(input.models[model] as FactorModelFacts), base: "placed again" },
      });
      const posterior = fit.posteriors[model] as FactorFit["posteriors"][number];
      for (let test = 0; test < TESTS; test++) {
        const again = expectedOn(fit.tests[test] as FactorTest, placed);
        const fitted = expectedOn(fit.tests[test] as FactorTest, posterior);
        expect(again.value).toBeCloseTo(fitted.value, 1);
        expect(Math.sqrt(again.variance)).toBeCloseTo(Math.sqrt(fitted.variance), 1);
      }
    }
  });

  it("gives a larger uncertainty for an unknown family, and a smaller one with every score", () => {
    const { input } = plant({ seed: 2, hide: 0.3 });
    const fit = fitAbilityFactors(input);
    const known = input.models[3] as FactorModelFacts;
    const openness = (facts: FactorModelFacts, scores: number) => {
      const { covariance } = placeModel(scoresOf(input, fit, 3).slice(0, scores), {
        prior: fit.prior,
        facts,
      });
      return covariance[0] as number;
    };
    const stranger = { ...known, family: "unheard-of", base: "unheard-of" };
    expect(openness(stranger, 0)).toBeGreaterThan(openness({ ...known, base: "unheard-of" }, 0));
    expect(openness({ ...known, base: "unheard-of" }, 0)).toBeGreaterThan(openness(known, 0));
    const byScores = [0, 1, 3, 8].map((count) => openness(stranger, count));
    expect(byScores).toEqual([...byScores].sort((a, b) => b - a));
  });

  it("returns the prior where a model has no scores", () => {
    const { input } = plant({ seed: 2, hide: 0.3 });
    const { prior } = fitAbilityFactors(input);
    const facts = { family: "none", base: "none", covariates: Float64Array.of(0, 0) };
    const { mean, covariance } = placeModel([], { prior, facts });
    expect([...mean]).toEqual(new Array(RANK).fill(0));
    for (let k = 0; k < RANK; k++) {
      const { variant, base, family } = prior.variance;
      expect(covariance[k * RANK + k]).toBeCloseTo(
        (variant[k] as number) + (base[k] as number) + (family[k] as number),
        8,
      );
    }
  });
});

function scoresOf({ observations }: FactorInput, fit: FactorFit, model: number) {
  return [...observations.model.keys()]
    .filter((row) => observations.model[row] === model)
    .map((row) => ({
      test: fit.tests[observations.test[row] as number] as FactorTest,
      value: observations.value[row] as number,
      variance: observations.variance[row] as number,
    }));
}

it("Uncertainty about a test's intercept does not add to the error of a model about the average", () => {
  const size = RANK + 1;
  const covariance = new Float64Array(size * size);
  covariance[0] = 4;
  const test = {
    intercept: 0.5,
    loading: new Float64Array(RANK).fill(1),
    residualVariance: 0.2,
    covariance,
  };
  const posterior = { mean: new Float64Array(RANK).fill(0.3), covariance: new Float64Array(RANK * RANK) };
  const about = new Float64Array(RANK);
  expect(expectedOn(test, posterior).variance).toBeCloseTo(4.2, 10);
  expect(expectedOn(test, posterior, { about }).variance).toBeCloseTo(0.2, 10);
  expect(expectedOn(test, posterior, { about }).value).toBe(expectedOn(test, posterior).value);
});
