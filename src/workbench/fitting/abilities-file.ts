import { z } from "zod";
import type { ModelDescription } from "../../engine/catalog/model-description.js";
import { ABILITIES_FILE, covariatesOf, describeByName, ProfileSetError } from "../../engine/index.js";
import { type FactorPrior, type FactorTest, RANK } from "./ability-factors.js";
import type { FittedLengths, LengthPlacing } from "./answer-lengths.js";
import type { JointEvidence } from "./joint-evidence.js";

/**
 * `abilities.json` of a set: the parameters of the fit that are needed to place a model that was not part of it. JSON
 * with numbers of six significant digits.
 */
export interface Abilities {
  readonly topics: readonly NamedTest[];
  /** Log-odds of the average model on each topic, relative to which profiles store skills; `[topics]`. */
  readonly averageSkill: Float64Array;
  /** Published benchmarks, by name. */
  readonly benchmarks: readonly NamedTest[];
  readonly prior: FactorPrior;
  /** Descriptions of the models, apart from their scores. */
  readonly models: ReadonlyMap<string, ModelDescription>;
  readonly lengths: LengthPlacing;
}

export interface NamedTest extends FactorTest {
  readonly name: string;
}

const numberPerFactor = z.array(z.number()).length(RANK);
const factorTest = z.object({
  intercept: z.number(),
  loading: numberPerFactor,
  residual_variance: z.number().positive(),
  covariance: z.array(z.number()).length((RANK + 1) ** 2),
});
const namedTest = factorTest.extend({ name: z.string().min(1) });
const COVARIATES = covariatesOf("", describeByName("")).length;
const groupEffects = z.record(z.string(), z.object({ mean: numberPerFactor, variance: numberPerFactor }));
const factorPrior = z.object({
  weights: z.array(z.number()).length(COVARIATES * RANK),
  weight_covariance: z.array(z.array(z.number()).length(COVARIATES ** 2)).length(RANK),
  families: groupEffects,
  bases: groupEffects,
  variance: z.object({ variant: numberPerFactor, base: numberPerFactor, family: numberPerFactor }),
});
const ratios = z.record(z.string(), z.number().nonnegative());

const fileSchema = z.object({
  topics: z.array(namedTest.extend({ average_skill: z.number() })).min(1),
  benchmarks: z.array(namedTest),
  prior: factorPrior,
  models: z.record(
    z.string(),
    z.object({
      base: z.string(),
      family: z.string(),
      released: z.string().nullable(),
      output_usd_per_mtok: z.number().nullable(),
      effort: z.string().nullable(),
      thinking: z.string().nullable(),
    }),
  ),
  /** Ratios of hidden reasoning tokens to those guessed from the level of thinking. */
  thinking: z.object({ bases: ratios, families: ratios }),
});

type AbilitiesFile = z.infer<typeof fileSchema>;

export interface AbilitiesInput {
  readonly joint: JointEvidence;
  readonly lengths: Pick<FittedLengths, "placing">;
  readonly topicCount: number;
  readonly models: ReadonlyMap<string, ModelDescription>;
}

/** Deterministic: the same fit gives the same bytes. */
export function encodeAbilities({ joint, lengths, topicCount, models }: AbilitiesInput): Uint8Array {
  const { tests, prior } = joint.factors;
  const named = tests.map((test, index) => ({ name: joint.tests[index] as string, ...testToFile(test) }));
  const { thinking } = lengths.placing;
  const file: AbilitiesFile = {
    topics: named
      .slice(0, topicCount)
      .map((test, topic) => ({ ...test, average_skill: rounded(joint.averageSkill[topic] as number) })),
    benchmarks: named.slice(topicCount),
    prior: priorToFile(prior),
    models: Object.fromEntries(
      Array.from(models, ([model, { outputUsdPerMtok, listPrice: _, ...description }]) => [
        model,
        { ...description, output_usd_per_mtok: outputUsdPerMtok },
      ]),
    ),
    thinking: { bases: ratiosToFile(thinking.bases), families: ratiosToFile(thinking.families) },
  };
  return Buffer.from(`${JSON.stringify(file)}\n`, "utf8");
}

/** @throws ProfileSetError naming what is wrong in the file */
export function decodeAbilities(bytes: Uint8Array): Abilities {
  const parsed = fileSchema.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  if (!parsed.success) {
    throw new ProfileSetError(
      `${ABILITIES_FILE} is not what this version reads: ${z.prettifyError(parsed.error)}. Build the set again.`,
    );
  }
  const file = parsed.data;
  return {
    topics: file.topics.map(namedTestFrom),
    averageSkill: Float64Array.from(file.topics, (topic) => topic.average_skill),
    benchmarks: file.benchmarks.map(namedTestFrom),
    prior: priorFrom(file.prior),
    models: new Map(
      Object.entries(file.models).map(([model, { output_usd_per_mtok, ...description }]) => [
        model,
        { ...description, outputUsdPerMtok: output_usd_per_mtok },
      ]),
    ),
    lengths: {
      thinking: {
        bases: new Map(Object.entries(file.thinking.bases)),
        families: new Map(Object.entries(file.thinking.families)),
      },
    },
  };
}

const rounded = (value: number): number => Number(value.toPrecision(6));
const roundedAll = (values: Float64Array): number[] => Array.from(values, rounded);

const testToFile = ({ intercept, loading, residualVariance, covariance }: FactorTest) => ({
  intercept: rounded(intercept),
  loading: roundedAll(loading),
  residual_variance: rounded(residualVariance),
  covariance: roundedAll(covariance),
});

const testFrom = (test: z.infer<typeof factorTest>): FactorTest => ({
  intercept: test.intercept,
  loading: Float64Array.from(test.loading),
  residualVariance: test.residual_variance,
  covariance: Float64Array.from(test.covariance),
});

const namedTestFrom = (test: z.infer<typeof namedTest>): NamedTest => ({
  name: test.name,
  ...testFrom(test),
});

const priorToFile = ({
  weights,
  weightCovariance,
  families,
  bases,
  variance,
}: FactorPrior): z.infer<typeof factorPrior> => ({
  weights: roundedAll(weights),
  weight_covariance: weightCovariance.map(roundedAll),
  families: effectsToFile(families),
  bases: effectsToFile(bases),
  variance: {
    variant: roundedAll(variance.variant),
    base: roundedAll(variance.base),
    family: roundedAll(variance.family),
  },
});

const priorFrom = ({
  weights,
  weight_covariance,
  families,
  bases,
  variance,
}: z.infer<typeof factorPrior>): FactorPrior => ({
  weights: Float64Array.from(weights),
  weightCovariance: weight_covariance.map((matrix) => Float64Array.from(matrix)),
  families: effectsFrom(families),
  bases: effectsFrom(bases),
  variance: {
    variant: Float64Array.from(variance.variant),
    base: Float64Array.from(variance.base),
    family: Float64Array.from(variance.family),
  },
});

const effectsToFile = (effects: FactorPrior["bases"]): z.infer<typeof groupEffects> =>
  Object.fromEntries(
    Array.from(effects, ([name, { mean, variance }]) => [
      name,
      { mean: roundedAll(mean), variance: roundedAll(variance) },
    ]),
  );

const effectsFrom = (effects: z.infer<typeof groupEffects>): FactorPrior["bases"] =>
  new Map(
    Object.entries(effects).map(([name, { mean, variance }]) => [
      name,
      { mean: Float64Array.from(mean), variance: Float64Array.from(variance) },
    ]),
  );

const ratiosToFile = (values: ReadonlyMap<string, number>): Record<string, number> =>
  Object.fromEntries(Array.from(values, ([name, value]) => [name, rounded(value)]));
