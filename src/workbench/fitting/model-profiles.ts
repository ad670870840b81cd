import { encodeBill } from "../../engine/index.js";
import type { BillColumn, ModelProfile } from "../../engine/profiles/model-profile.js";
import type { PublishedScore } from "../outcomes/published-scores.js";
import { expectedOn, type FactorTest, RANK } from "./ability-factors.js";
import {
  type BillTerms,
  carriedOver,
  type FittedLengths,
  levelElsewhere,
  USUAL_BILL,
} from "./answer-lengths.js";
import type { JointEvidence } from "./joint-evidence.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import type { Relative } from "./relatives.js";
import type { Raise } from "./succession.js";
import { billTable, qualityTable } from "./topic-tables.js";

/** The facts of the anchors that a profile depends on. */
export type AnchorTable = Pick<
  OutcomeTable,
  "benchmarks" | "benchmarkOf" | "topics" | "topicOf" | "sourceOf"
> & { readonly sources: readonly unknown[] };

export interface ProfileContext {
  readonly input: { readonly table: AnchorTable };
  readonly joint: Omit<JointEvidence, "tests" | "dispersion" | "averageFactors"> &
    Partial<Pick<JointEvidence, "averageFactors">>;
  readonly lengths: Pick<FittedLengths, "verbosity" | "thinkingTokens" | "bills">;
  readonly column: number;
  /** Published scores that placed the model. */
  readonly published: readonly PublishedScore[];
  readonly anchorsSha256: string;
  /** Absent: its expectation rests on its own evidence. */
  readonly relative?: Relative | undefined;
  /** Absent: its skills are those of the fit. */
  readonly raised?: Raise | undefined;
}

export function profileOf(outcomes: ModelOutcomes, context: ProfileContext): ModelProfile {
  const { lengths, column, input, raised } = context;
  const { by = 0 } = raised ?? {};
  const joint = { ...context.joint, skill: context.joint.skill.map((value) => value + by) };
  const topics = input.table.topics.length;
  const skill = joint.skill.subarray(column * topics, (column + 1) * topics);
  const expected = qualityTable(skill, input.table.topicOf, joint.ease);
  const bill = billOf(outcomes, context);
  const coverage = topicCoverage(outcomes, input.table);
  // In the order of their schema.
  const facts = {
    model: outcomes.model,
    original_names: [...outcomes.originalNames],
    anchors_sha256: context.anchorsSha256,
    scored: outcomes.anchors.length,
    mean_quality: meanOf(outcomes.quality),
    benchmarks: countBenchmarks(outcomes, input.table),
    published: context.published.map(({ benchmark, source, date }) => ({ benchmark, source, date })),
    ...(context.relative === undefined ? {} : { relative: context.relative }),
    ...(raised === undefined ? {} : { predecessor: raised.to }),
    ...overallOf(expected, { joint, column, table: input.table }),
    ...skillVariances(joint, { column, coverage, weights: topicWeights(input.table) }),
    thinking_tokens: lengths.thinkingTokens[column] as number,
    verbosity: lengths.verbosity[column] as number,
    ...(bill === undefined ? {} : { bill: bill.facts }),
    ...(outcomes.service === undefined ? {} : { service: outcomes.service }),
  };
  return {
    facts,
    observed:
      outcomes.anchors.length === 0
        ? new Uint8Array(0)
        : observedBits(outcomes.anchors, input.table.topicOf.length),
    quality: Uint8Array.from(outcomes.quality, (score) => Math.round(score * 255)),
    ...(outcomes.samples.some((samples) => samples > 1)
      ? { samples: Uint8Array.from(outcomes.samples, (samples) => Math.min(samples, 255)) }
      : {}),
    skill: Float32Array.from(skill),
    table: { quality: expected, coverage },
    ...(bill === undefined ? {} : { bill: bill.column }),
  };
}

/** Share of each topic's anchors that the model was scored on, `[topics]`. */
export function topicCoverage(
  { anchors }: Pick<ModelOutcomes, "anchors">,
  { topicOf, topics }: AnchorTable,
): Float32Array {
  const all = new Float32Array(topics.length);
  for (const topic of topicOf) all[topic] = (all[topic] as number) + 1;
  const own = new Float32Array(topics.length);
  for (const anchor of anchors) {
    const topic = topicOf[anchor] as number;
    own[topic] = (own[topic] as number) + 1;
  }
  return own.map((count, topic) => count / Math.max(1, all[topic] as number));
}

/**
 * Expected quality of the model over all topics, and its standard error. A topic is weighted by its anchors, and an
 * anchor of a source four times as large by half as much, so that no source dominates.
 */
function overallOf(
  expected: Float32Array,
  {
    joint,
    column,
    table,
  }: { readonly joint: ProfileContext["joint"]; readonly column: number; readonly table: AnchorTable },
): { overall_quality: number; overall_error: number; general_skill: number } {
  const weights = topicWeights(table);
  let quality = 0;
  let skill = 0;
  let ownVariance = 0;
  const pull = new Float64Array(RANK);
  expected.forEach((value, topic) => {
    const weight = weights[topic] as number;
    quality += weight * value;
    skill += weight * (joint.skill[column * expected.length + topic] as number);
    const step = weight * Math.max(value * (1 - value), 0.01);
    const { loading, residualVariance } = joint.factors.tests[topic] as FactorTest;
    const information = joint.information[column * expected.length + topic] as number;
    const trust = residualVariance / (residualVariance + 1 / Math.max(information, 1e-9));
    ownVariance += step * step * residualVariance * (1 - trust);
    loading.forEach((loadingOfFactor, k) => {
      pull[k] = (pull[k] as number) + step * (1 - trust) * loadingOfFactor;
    });
  });
  const covariance = joint.factors.posteriors[column]?.covariance ?? new Float64Array(RANK * RANK);
  let shared = 0;
  for (let j = 0; j < RANK; j++)
    for (let k = 0; k < RANK; k++)
      shared += (pull[j] as number) * (covariance[j * RANK + k] as number) * (pull[k] as number);
  return {
    overall_quality: Math.min(1, Math.max(0, quality)),
    overall_error: Math.sqrt(Math.max(0, shared + ownVariance)),
    general_skill: skill,
  };
}

/** Weight of each topic in the overall expectation, `[topics]`; sums to 1. */
export function topicWeights({ topics, topicOf, sourceOf, sources }: AnchorTable): Float64Array {
  const sizes = new Float64Array(sources.length);
  for (const source of sourceOf) sizes[source] = (sizes[source] as number) + 1;
  const weights = new Float64Array(topics.length);
  let total = 0;
  topicOf.forEach((topic, anchor) => {
    const weight = 1 / Math.sqrt(sizes[sourceOf[anchor] as number] as number);
    weights[topic] = (weights[topic] as number) + weight;
    total += weight;
  });
  return weights.map((weight) => weight / total);
}

/**
 * Mean variance of a model's skills, on topics where it was scored and on the others, with the topic weights of the
 * overall expectation.
 */
function skillVariances(
  joint: ProfileContext["joint"],
  {
    column,
    coverage,
    weights,
  }: { readonly column: number; readonly coverage: Float32Array; readonly weights: Float64Array },
): { measured_variance: number; placed_variance: number } {
  const posterior = joint.factors.posteriors[column];
  if (posterior === undefined) throw new Error("a model without factors");
  const sums = { measured: 0, seen: 0, placed: 0, all: 0 };
  coverage.forEach((share, topic) => {
    const weight = weights[topic] as number;
    const test = joint.factors.tests[topic] as FactorTest;
    sums.placed += weight * expectedOn(test, posterior, { about: joint.averageFactors }).variance;
    sums.all += weight;
    if (share === 0) return;
    sums.measured += weight * (joint.skillVariance[column * coverage.length + topic] as number);
    sums.seen += weight;
  });
  const placed = sums.placed / sums.all;
  return { measured_variance: sums.seen === 0 ? placed : sums.measured / sums.seen, placed_variance: placed };
}

/** The column of bills; undefined when nothing was billed in the set. */
function billOf(
  { anchors }: ModelOutcomes,
  { input: { table: outcomeTable }, lengths: { bills }, column }: ProfileContext,
): { readonly column: BillColumn; readonly facts: NonNullable<ModelProfile["facts"]["bill"]> } | undefined {
  if (bills === null) return undefined;
  const { price, listed, paid } = bills.terms[column] as BillTerms;
  const ability = bills.ability[column] as number;
  const ofAgents = bills.agentTokens[column] as number;
  const codes = bills.codes[column] as Float32Array;
  const { expected, smear } = billTable({
    anchors,
    codes,
    ability,
    level: bills.level,
    topicOf: outcomeTable.topicOf,
    topicCount: outcomeTable.topics.length,
  });
  const common = levelElsewhere(
    bills.level.map((level) => level - USUAL_BILL),
    outcomeTable,
  );
  return {
    column: {
      table: expected,
      ...(codes.every(Number.isNaN) ? {} : { codes: Uint16Array.from(codes, encodeBill) }),
    },
    facts: {
      ability,
      smear,
      overall: 2 ** (USUAL_BILL + common + carriedOver(outcomeTable) * ability),
      correction: 1,
      price: { input: price.inputUsdPerMtok, output: price.outputUsdPerMtok },
      listed,
      paid,
      ...(Number.isNaN(ofAgents) ? {} : { agent_tokens: ofAgents }),
    },
  };
}

export function countBenchmarks(
  outcomes: Pick<ModelOutcomes, "anchors">,
  table: AnchorTable,
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const anchor of outcomes.anchors) {
    const name = table.benchmarks[table.benchmarkOf[anchor] as number] as string;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

export function observedBits(anchors: Uint32Array, count: number): Uint8Array {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (const anchor of anchors) bits[anchor >> 3] = (bits[anchor >> 3] as number) | (1 << (anchor & 7));
  return bits;
}

function meanOf(values: Float32Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return values.length === 0 ? 0 : sum / values.length;
}
