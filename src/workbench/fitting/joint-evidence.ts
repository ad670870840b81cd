import type { ModelDescription } from "../../engine/catalog/model-description.js";
import { covariatesOf } from "../../engine/index.js";
import { groupBy } from "../../foundation/group-by.js";
import type { PublishedScore } from "../outcomes/published-scores.js";
import { fitAbilityFactors } from "./ability-factors/fit-ability-factors.js";
import { expectedOn, type FactorFit, type FactorTest, RANK } from "./ability-factors.js";
import { logisticLink } from "./logistic-link.js";
import type { OutcomeTable } from "./outcome-table.js";
import { fitTopicSkills, refitEase } from "./topic-skills.js";

/**
 * Combines graded answers and published scores: skills on topics from the answers, published scores as further tests of
 * the same abilities, and latent factors that connect both. The expectation for a model on a topic is that of its
 * answers there, shrunk toward that of its factors.
 */
export interface JointEvidence {
  /** `[models × topics]`: log-odds of solving a prompt that the average model solves as often as not. */
  readonly skill: Float64Array;
  readonly skillVariance: Float64Array;
  /** Fisher information of the model's own answers on the topic, 0 where it was not scored, `[models × topics]`. */
  readonly information: Float64Array;
  /** Dispersion of the scores on each topic, as in `TopicSkills`, `[topics]`. */
  readonly dispersion: Float64Array;
  /** Log-odds of the average model to solve each anchor, `[anchors]`. */
  readonly ease: Float32Array;
  /** The fit that `add-model` uses to place a model. */
  readonly factors: FactorFit;
  /** Names of the factors' tests: topics first, in their order, then published benchmarks. */
  readonly tests: readonly string[];
  /** Log-odds of the average model on each topic, subtracted from the skills, `[topics]`. */
  readonly averageSkill: Float64Array;
  /** Factors of the average model, `[RANK]`. */
  readonly averageFactors: Float64Array;
}

export interface JointOptions {
  readonly scores: readonly PublishedScore[];
  readonly describe: (model: string) => ModelDescription;
  readonly seed: number;
}

/** Benchmarks with scores of fewer models are ignored, because the meaning of their scores is uncertain. */
const FEWEST_MODELS_A_BENCHMARK = 5;
/**
 * Maximum distance in log-odds by which a skill may be below a topic's median model in the fit of abilities; larger
 * ones are clamped. A model far below all others gave answers that the evaluation could not read: two such models among
 * nine created a factor by which every current model was expected to fail at multiple choice
 * (docs/decisions/joint-evidence.md). The model's own skill on the topic is not clamped.
 */
const LARGEST_SHORTFALL = 2;
const TOPIC_GROUP = 0;
const PUBLISHED_GROUP = 1;

export function fitJointEvidence(table: OutcomeTable, options: JointOptions): JointEvidence {
  const input = {
    anchorCount: table.promptIds.length,
    topicOf: table.topicOf,
    topicCount: table.topics.length,
    columns: table.models.map(({ anchors, quality: values }) => ({ anchors, values })),
  };
  const own = fitTopicSkills(input);
  const published = publishedTests(table, options.scores);
  const tests = [...table.topics, ...published.tests];
  const topicRows = ownObservations(own, table.topics.length);
  const factors = fitAbilityFactors({
    models: table.models.map(({ model }) => {
      const description = options.describe(model);
      const { family, base } = description;
      return { family, base, covariates: covariatesOf(model, description) };
    }),
    testGroups: tests.map((_, test) => (test < table.topics.length ? TOPIC_GROUP : PUBLISHED_GROUP)),
    observations: joinRows(topicRows, published.rows),
    seed: options.seed,
  });
  const averageFactors = meanFactors(factors);
  const { skill, variance } = posteriorSkills(table, { own, factors });
  const raw = refitEase(input, skill, own);
  const averageSkill = averageOn(factors, { averageFactors, topics: table.topics.length });
  return {
    skill: skill.map((value, index) => value - (averageSkill[index % table.topics.length] as number)),
    skillVariance: variance,
    information: own.variance.map((value) => (Number.isFinite(value) ? 1 / value : 0)),
    dispersion: own.dispersion,
    ease: raw.map((value, anchor) => value + (averageSkill[table.topicOf[anchor] as number] as number)),
    factors,
    tests,
    averageSkill,
    averageFactors,
  };
}

interface Rows {
  readonly model: readonly number[];
  readonly test: readonly number[];
  readonly value: readonly number[];
  readonly variance: readonly number[];
}

/** Observations of the models' own skills, one row for each model and topic. */
function ownObservations(
  own: { readonly skill: Float64Array; readonly variance: Float64Array },
  topics: number,
): Rows {
  const rows = {
    model: [] as number[],
    test: [] as number[],
    value: [] as number[],
    variance: [] as number[],
  };
  const least = medianSkills(own, topics).map((median) => median - LARGEST_SHORTFALL);
  own.variance.forEach((variance, index) => {
    if (!Number.isFinite(variance)) return;
    const topic = index % topics;
    rows.model.push(Math.floor(index / topics));
    rows.test.push(topic);
    rows.value.push(Math.max(own.skill[index] as number, least[topic] as number));
    rows.variance.push(variance);
  });
  return rows;
}

/** Skill of the median model on each topic, the upper one of two; `[topics]`. */
function medianSkills(
  own: { readonly skill: Float64Array; readonly variance: Float64Array },
  topics: number,
): Float64Array {
  const byTopic: number[][] = Array.from({ length: topics }, () => []);
  own.variance.forEach((variance, index) => {
    if (Number.isFinite(variance)) byTopic[index % topics]?.push(own.skill[index] as number);
  });
  return Float64Array.from(byTopic, (skills) => skills.sort((a, b) => a - b)[skills.length >> 1] ?? 0);
}

/** Published scores of the table's models as rows; several of one model and benchmark are averaged. */
function publishedTests(
  table: OutcomeTable,
  scores: readonly PublishedScore[],
): { readonly tests: readonly string[]; readonly rows: Rows } {
  const modelOf = new Map(table.models.map(({ model }, column) => [model, column]));
  const own = scores.filter(({ model }) => modelOf.has(model));
  const tests = [...groupBy(own, ({ benchmark }) => benchmark)]
    .map(([name, given]) => ({ name, byModel: groupBy(given, ({ model }) => modelOf.get(model) as number) }))
    .filter(({ byModel }) => byModel.size >= FEWEST_MODELS_A_BENCHMARK)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const rows = {
    model: [] as number[],
    test: [] as number[],
    value: [] as number[],
    variance: [] as number[],
  };
  tests.forEach(({ byModel }, index) => {
    for (const [column, values] of byModel) {
      rows.model.push(column);
      rows.test.push(table.topics.length + index);
      rows.value.push(logOddsOf(values.reduce((sum, { score }) => sum + score, 0) / values.length));
      rows.variance.push(0);
    }
  });
  return { tests: tests.map(({ name }) => name), rows };
}

/** Log-odds of a published score, clamped to finite values. */
export function logOddsOf(score: number): number {
  const inside = Math.min(0.99, Math.max(0.01, score));
  return Math.log(inside / (1 - inside));
}

function joinRows(left: Rows, right: Rows) {
  return {
    model: Uint32Array.from([...left.model, ...right.model]),
    test: Uint32Array.from([...left.test, ...right.test]),
    value: Float64Array.from([...left.value, ...right.value]),
    variance: Float64Array.from([...left.variance, ...right.variance]),
  };
}

function posteriorSkills(
  table: OutcomeTable,
  {
    own,
    factors,
  }: {
    readonly own: { readonly skill: Float64Array; readonly variance: Float64Array };
    readonly factors: FactorFit;
  },
): { readonly skill: Float64Array; readonly variance: Float64Array } {
  const topics = table.topics.length;
  const skill = new Float64Array(table.models.length * topics);
  const variance = new Float64Array(skill.length);
  for (let index = 0; index < skill.length; index++) {
    const found = skillOn(
      {
        test: factors.tests[index % topics] as FactorTest,
        posterior: factors.posteriors[Math.floor(index / topics)],
      },
      { value: own.skill[index] as number, variance: own.variance[index] as number },
    );
    skill[index] = found.value;
    variance[index] = found.variance;
  }
  return { skill, variance };
}

/** Skill on a topic: that of the model's answers there, shrunk toward that of its factors. */
export function skillOn(
  {
    test,
    posterior,
  }: { readonly test: FactorTest; readonly posterior: FactorFit["posteriors"][number] | undefined },
  own: { readonly value: number; readonly variance: number },
): { readonly value: number; readonly variance: number } {
  if (posterior === undefined) throw new Error("a model without factors");
  const expected = expectedOn(test, posterior);
  if (!Number.isFinite(own.variance)) return expected;
  const residual = test.residualVariance;
  const trust = residual / (residual + own.variance);
  const factorVariance = expected.variance - residual;
  return {
    value: trust * own.value + (1 - trust) * expected.value,
    variance: (residual * own.variance) / (residual + own.variance) + (1 - trust) ** 2 * factorVariance,
  };
}

function meanFactors({ posteriors }: FactorFit): Float64Array {
  const mean = new Float64Array(RANK);
  for (const posterior of posteriors) {
    posterior.mean.forEach((value, k) => {
      mean[k] = (mean[k] as number) + value / posteriors.length;
    });
  }
  return mean;
}

/** Result of a model with average factors on each topic, log-odds. */
function averageOn(
  { tests }: FactorFit,
  { averageFactors, topics }: { readonly averageFactors: Float64Array; readonly topics: number },
): Float64Array {
  return Float64Array.from({ length: topics }, (_, topic) => {
    const { intercept, loading } = tests[topic] as FactorTest;
    return loading.reduce((sum, weight, k) => sum + weight * (averageFactors[k] as number), intercept);
  });
}

/** Expected score of a skill on prompts of an ease. */
export const expectedScore = (skill: number, ease: number): number => logisticLink.mean(skill + ease);
