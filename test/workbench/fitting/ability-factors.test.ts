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

interface Planted {
  readonly input: FactorInput;
  /** What the models would score without sampling noise, `[models][tests]`. */
  readonly truth: readonly (readonly number[])[];
  /** Cells that were left out: three in ten. */
  readonly hidden: readonly { readonly model: number; readonly test: number }[];
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
  const seen = { model: [] as number[], test: [] as number[], value: [] as number[] };
  const hidden: { model: number; test: number }[] = [];
  truth.forEach((values, model) => {
    values.forEach((value, test) => {
      if (random() < 0.3) hidden.push({ model, test });
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

/** Planted worlds and their fits, by seed. */
const WORLDS = [1, 2, 3, 4].map((seed) => {
  const planted = plant(seed);
  return { ...planted, fit: fitAbilityFactors(planted.input) };
});
const [FIRST] = WORLDS as [(typeof WORLDS)[number]];

describe("The ability factors of planted models", () => {
  it("predict the values of held-out models and tests about as well as their residuals allow", () => {
    for (const { fit, truth, hidden } of WORLDS) {
      const truthOf = ({ model, test }: { model: number; test: number }) => truth[model]?.[test] as number;
      const meanOfTest = Array.from({ length: TESTS }, (_, test) =>
        meanOf(truth.map((values) => values[test] as number)),
      );
      const rms = (misses: readonly number[]) => Math.sqrt(meanOf(misses.map((miss) => miss ** 2)));
      const misses = hidden.map((cell) => expectedAt(fit, cell.model, cell.test).value - truthOf(cell));
      expect(rms(misses)).toBeLessThan(1.4 * RESIDUAL);
      // Knowing nothing but the tests' means would be far worse; otherwise this proves nothing.
      const spread = hidden.map((cell) => (meanOfTest[cell.test] as number) - truthOf(cell));
      expect(rms(spread)).toBeGreaterThan(2.8 * RESIDUAL);
    }
  });

  it("have standard errors that cover held-out values at the expected rate", () => {
    const misses = WORLDS.flatMap(({ fit, truth, hidden }) =>
      hidden.map(({ model, test }) => {
        const { value, variance } = expectedAt(fit, model, test);
        return Math.abs(value - (truth[model]?.[test] as number)) / Math.sqrt(variance);
      }),
    );
    expect(Math.abs(shareBelow(1, misses) - 0.68)).toBeLessThan(0.08);
    expect(shareBelow(2, misses)).toBeGreaterThan(0.92);
  });

  it("of models without any score follow family and date, not the average, with standard errors that cover the truth", () => {
    const isNew = (model: number) => model % 5 === 0;
    const found = WORLDS.slice(0, 2).flatMap(({ input, truth }) => {
      const fit = fitAbilityFactors(keepRows(input, (model) => !isNew(model)));
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

  it("of a model with few scores follow its date rather than the average", () => {
    const { input } = FIRST;
    /** The mean over all tests of the first model, released at that date, with that many scores. */
    const general = (date: number, scores: number) => {
      const models = input.models.map((facts, model) =>
        model === 0 ? { ...facts, family: "another", covariates: Float64Array.of(1, date) } : facts,
      );
      const kept = keepRows({ ...input, models }, (model, test) => model !== 0 || test < scores);
      const fit = fitAbilityFactors(kept);
      return meanOf(fit.tests.map((_, test) => expectedAt(fit, 0, test).value));
    };
    const gap = (scores: number) => general(1.8, scores) - general(-1.8, scores);
    expect(gap(0)).toBeGreaterThan(1.5);
    expect(gap(1)).toBeGreaterThan(0.3);
    // Enough scores overrule it: the same model is the same whatever its date.
    expect(Math.abs(gap(TESTS))).toBeLessThan(0.25);
  });

  it("are the same to the last bit when fitted again", () => {
    expect(fitAbilityFactors(FIRST.input)).toEqual(FIRST.fit);
  });
});

describe("Placing a model with ability factors", () => {
  const { input, fit } = FIRST;
  const { prior } = fit;

  it("returns the posterior of the fit for a model of the fit", () => {
    for (const model of [0, 7, 33]) {
      // The effect of its own base model would be its own scores a second time.
      const facts = { ...(input.models[model] as FactorModelFacts), base: "placed again" };
      const placed = placeModel(scoresOf(input, fit, model), { prior, facts });
      fit.tests.forEach((ofTest, test) => {
        const [again, fitted] = [expectedOn(ofTest, placed), expectedAt(fit, model, test)];
        expect(again.value).toBeCloseTo(fitted.value, 1);
        expect(Math.sqrt(again.variance)).toBeCloseTo(Math.sqrt(fitted.variance), 1);
      });
    }
  });

  it("gives a larger uncertainty for an unknown family, and a smaller one with every score", () => {
    const known = input.models[3] as FactorModelFacts;
    const variant = { ...known, base: "unheard-of" };
    const stranger = { ...variant, family: "unheard-of" };
    const openness = (facts: FactorModelFacts, scores: number) =>
      placeModel(scoresOf(input, fit, 3).slice(0, scores), { prior, facts }).covariance[0] as number;
    const byFacts = [stranger, variant, known].map((facts) => openness(facts, 0));
    const byScores = [0, 1, 3, 8].map((count) => openness(stranger, count));
    for (const falling of [byFacts, byScores]) {
      expect(falling).toEqual(falling.toSorted((a, b) => b - a));
      expect(new Set(falling).size).toBe(falling.length);
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
