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

const column = (length: number) =>
  z
    .array(z.number())
    .length(length)
    .transform((values) => Float64Array.from(values));
const byName = <Value extends z.ZodType>(value: Value) =>
  z.record(z.string(), value).transform((values) => new Map(Object.entries(values)));

const perFactor = column(RANK);
const namedTest = z.object({
  name: z.string().min(1),
  intercept: z.number(),
  loading: perFactor,
  residual_variance: z.number().positive(),
  covariance: column((RANK + 1) ** 2),
});
const readTest = <Test extends z.infer<typeof namedTest>>({ residual_variance, ...test }: Test) => ({
  ...test,
  residualVariance: residual_variance,
});
const COVARIATES = covariatesOf("", describeByName("")).length;
const groupEffects = byName(z.object({ mean: perFactor, variance: perFactor }));
const factorPrior = z
  .object({
    weights: column(COVARIATES * RANK),
    weight_covariance: z.array(column(COVARIATES ** 2)).length(RANK),
    families: groupEffects,
    bases: groupEffects,
    variance: z.object({ variant: perFactor, base: perFactor, family: perFactor }),
  })
  .transform(({ weight_covariance: weightCovariance, ...prior }) => ({ ...prior, weightCovariance }));
const description = z
  .object({
    base: z.string(),
    family: z.string(),
    released: z.string().nullable(),
    output_usd_per_mtok: z.number().nullable(),
    effort: z.string().nullable(),
    thinking: z.string().nullable(),
  })
  .transform(({ output_usd_per_mtok: outputUsdPerMtok, ...facts }) => ({ ...facts, outputUsdPerMtok }));
const ratios = byName(z.number().nonnegative());

const fileSchema = z.object({
  topics: z.array(namedTest.extend({ average_skill: z.number() }).transform(readTest)).min(1),
  benchmarks: z.array(namedTest.transform(readTest)),
  prior: factorPrior,
  models: byName(description),
  /** Ratios of hidden reasoning tokens to those guessed from the level of thinking. */
  thinking: z.object({ bases: ratios, families: ratios }),
});

export interface AbilitiesInput {
  readonly joint: JointEvidence;
  readonly lengths: Pick<FittedLengths, "placing">;
  readonly topicCount: number;
  readonly models: ReadonlyMap<string, ModelDescription>;
}

/** Deterministic: the same fit gives the same bytes. */
export function encodeAbilities({ joint, lengths, topicCount, models }: AbilitiesInput): Uint8Array {
  const { tests, prior } = joint.factors;
  const named = tests.map(({ intercept, loading, residualVariance, covariance }, index) => ({
    name: joint.tests[index],
    intercept,
    loading,
    residual_variance: residualVariance,
    covariance,
  }));
  const { weights, weightCovariance, families, bases, variance } = prior;
  const file = {
    topics: named
      .slice(0, topicCount)
      .map((test, topic) => ({ ...test, average_skill: joint.averageSkill[topic] })),
    benchmarks: named.slice(topicCount),
    prior: { weights, weight_covariance: weightCovariance, families, bases, variance },
    models: new Map(
      Array.from(
        models,
        ([model, { outputUsdPerMtok, listPrice: _, ...facts }]) =>
          [model, { ...facts, output_usd_per_mtok: outputUsdPerMtok }] as const,
      ),
    ),
    thinking: lengths.placing.thinking,
  };
  return Buffer.from(`${JSON.stringify(file, (_, value) => plain(value))}\n`, "utf8");
}

/** Maps as objects, arrays of numbers as lists, and numbers with six digits. */
function plain(value: unknown): unknown {
  if (typeof value === "number") return Number(value.toPrecision(6));
  if (value instanceof Float64Array) return Array.from(value);
  return value instanceof Map ? Object.fromEntries(value) : value;
}

/** @throws ProfileSetError naming what is wrong in the file */
export function decodeAbilities(bytes: Uint8Array): Abilities {
  const parsed = fileSchema.safeParse(JSON.parse(Buffer.from(bytes).toString("utf8")));
  if (!parsed.success) {
    throw new ProfileSetError(
      `${ABILITIES_FILE} is not what this version reads: ${z.prettifyError(parsed.error)}. Build the set again.`,
    );
  }
  const { thinking, ...abilities } = parsed.data;
  const averageSkill = Float64Array.from(abilities.topics, (topic) => topic.average_skill);
  return { ...abilities, averageSkill, lengths: { thinking } };
}
