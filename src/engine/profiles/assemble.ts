import { forEachCooperatively } from "../../foundation/cooperative-batches.js";
import { yieldThread } from "../../foundation/timers.js";
import type { AnchorSet, EvidenceParameters } from "../estimation/anchor-set.js";
import { basisOf } from "../estimation/basis.js";
import { middlePrice, REFERENCE_PRICE, usualAgentUsd } from "../estimation/bills.js";
import { successOf } from "../estimation/model-service.js";
import type { ProfileSummary } from "../estimation/profile-summary.js";
import { ownWeight, type RelativeColumn } from "../estimation/relatives.js";
import { allocateScoreMemory, type ScoreMemory } from "../estimation/scoring/score-memory.js";
import type { AnchorIndex } from "../search/anchor-index.js";
import type { Manifest } from "./manifest.js";
import type { ModelProfile } from "./model-profile.js";
import { CODE_PER_STEP, openScoreRows, USUAL_CODE } from "./score-rows.js";

/** Per-anchor facts of a set, as `anchor-facts.bin` holds them. */
export interface AnchorFacts {
  /** Index into the manifest's benchmarks, `[anchors]`. */
  readonly benchmark: Uint16Array;
  /** Index into the manifest's sources, `[anchors]`. */
  readonly source: Uint16Array;
  /** Index into the manifest's topics, `[anchors]`. */
  readonly topic: Uint16Array;
  readonly prompt_tokens: Float32Array;
  /** Ease (log-odds), `[anchors]`. */
  readonly level_quality: Float32Array;
  /** See `AnswerLevels`, `[anchors]`. */
  readonly level_answer: Float32Array;
  readonly answer_tokens?: Float32Array;
  /** Effect of the prompt on log2 of 1 + the code of a bill, `[anchors]`; absent when nothing was billed. */
  readonly level_bill?: Float32Array;
  /** Tiers from 0 to 4, `[anchors]`; absent without a difficulty model. */
  readonly difficulty?: Float32Array;
  /** First 8 bytes of SHA-256 of the prompt's id, as two u32, `[2 × anchors]`. */
  readonly prompt_key: Uint32Array;
}

/** What the files of a profile set hold, and the choices made at loading. */
export interface AnchorSetInput {
  readonly manifest: Manifest;
  readonly version: string;
  readonly leftOut: readonly string[];
  readonly index: AnchorIndex;
  readonly facts: AnchorFacts;
  readonly profiles: readonly ModelProfile[];
  /** Whether decisions use a difficulty model: prompts then have a difficulty by the model that the set was built with. */
  readonly usesDifficulty: boolean;
}

/**
 * Builds the in-memory form of a set that decisions read, from what its files hold: in steps of some milliseconds for the
 * shipped set, between which other work of the thread runs.
 */
export async function assembleAnchorSet(input: AnchorSetInput): Promise<AnchorSet> {
  const { manifest, facts, index } = input;
  const profiles = [...input.profiles].sort((a, b) => (a.facts.model < b.facts.model ? -1 : 1));
  const columns = profiles.map(billColumn);
  const scores = allocateScoreMemory({
    anchors: manifest.anchors,
    models: profiles.length,
    topics: manifest.topics.length,
  });
  const prior = await fillPrior(scores, { manifest, profiles, columns });
  const rows = await openScoreRows(scores, { profiles, anchors: facts });
  await yieldThread();
  return {
    name: manifest.name,
    version: input.version,
    index,
    // A function made here would keep the profiles in memory, which are read into the tables above.
    vectorOf: index.vectorOf,
    models: profiles.map((profile) => profile.facts.model),
    candidates: manifest.candidates,
    leftOut: input.leftOut,
    summaries: profiles.map((profile) => summarise(profile, { manifest, version: input.version })),
    parameters: parametersOf(manifest),
    agentUsd: agentUsdOf(profiles),
    billSlope: manifest.bill_slope,
    billSpread: manifest.bill_spread,
    anchorEase: facts.level_quality,
    answerLevels: {
      expectedTokens: facts.answer_tokens ?? null,
      ofAnchor: facts.level_answer,
      overall: manifest.answer_level,
    },
    benchmarks: { names: manifest.benchmarks, ofAnchor: facts.benchmark },
    sources: {
      count: manifest.sources.length,
      ofAnchor: facts.source,
      similarity: manifest.sources.map(({ similarity }) => similarity),
    },
    topics: { names: manifest.topics, ofAnchor: facts.topic },
    difficulty: input.usesDifficulty ? difficultyOf(manifest, facts) : null,
    promptTokens: facts.prompt_tokens,
    prior,
    columns: {
      measuredVariance: Float32Array.from(profiles, (profile) => profile.facts.measured_variance),
      placedVariance: Float32Array.from(profiles, (profile) => profile.facts.placed_variance),
      thinkingTokens: Float32Array.from(profiles, (profile) => profile.facts.thinking_tokens),
      verbosity: Float32Array.from(profiles, (profile) => profile.facts.verbosity),
      bills: profiles.map(({ facts: { bill }, bill: measured }) => ({
        price:
          bill === undefined
            ? REFERENCE_PRICE
            : { inputUsdPerMtok: bill.price.input, outputUsdPerMtok: bill.price.output },
        isListed: bill?.listed ?? true,
        isPaid: bill?.paid ?? false,
        isMeasured: measured?.codes !== undefined,
        agentTokens: bill?.agent_tokens ?? Number.NaN,
      })),
      services: profiles.map((profile) => profile.facts.service),
      success: successOf(profiles.map((profile) => profile.facts.service)),
      billUnit: Float32Array.from(columns, ({ correction }) => CODE_PER_STEP * correction),
    },
    relatives: relativesOf(profiles),
    successors: successorsOf(profiles),
    meanCosts: manifest.mean_costs_usd ?? null,
    ...rows,
  };
}

/** What a task of an agent costs a model of which no such bills are known: a geometric mean over the others, by price and thinking. */
function agentUsdOf(profiles: readonly ModelProfile[]): number {
  const logs = profiles.flatMap(({ facts: { bill, thinking_tokens: thinking } }) => {
    if (bill?.agent_tokens === undefined) return [];
    const price = { inputUsdPerMtok: bill.price.input, outputUsdPerMtok: bill.price.output };
    return [Math.log((bill.agent_tokens * middlePrice(price)) / 1e6 / usualAgentUsd(1, price, thinking))];
  });
  return Math.exp(logs.reduce((sum, log) => sum + log, 0) / logs.length);
}

function difficultyOf({ difficulty }: Manifest, facts: AnchorFacts): AnchorSet["difficulty"] {
  if (difficulty === undefined || facts.difficulty === undefined) return null;
  const { between_variance: betweenVariance, within_variance: withinVariance, ...line } = difficulty;
  return { ...line, betweenVariance, withinVariance, ofAnchor: facts.difficulty };
}

function parametersOf({ parameters }: Manifest): EvidenceParameters {
  return {
    neighbours: parameters.neighbours,
    kernelWidth: parameters.kernel_width,
    priorWeight: parameters.prior_weight,
    outOfDistributionSimilarity: parameters.out_of_distribution_similarity,
    inDistributionSimilarity: parameters.in_distribution_similarity,
    nearSimilarity: parameters.near_similarity,
    pairedCorrelation: parameters.paired_correlation,
    nearEaseVariance: parameters.near_ease_variance,
  };
}

/** In the order in which they depend on each other. One whose relative is not loaded rests on its own evidence. */
const relativesOf = (profiles: readonly ModelProfile[]): RelativeColumn[] =>
  chained(profiles, ({ relative }) => relative?.model).map(({ column, before }) => {
    const { facts } = profiles[column] as ModelProfile;
    const { levels, generations } = facts.relative as NonNullable<typeof facts.relative>;
    const published = new Set(facts.published.map(({ benchmark }) => benchmark)).size;
    return {
      column,
      relative: before,
      levels,
      generations,
      ownWeight: ownWeight({ answers: facts.scored + (facts.own_answers ?? 0), published }),
    };
  });

const successorsOf = (profiles: readonly ModelProfile[]): AnchorSet["successors"] =>
  chained(profiles, predecessorOf).map(({ column, before }) => ({ column, predecessor: before }));

const predecessorOf = ({ predecessor, relative }: ModelProfile["facts"]): string | undefined =>
  predecessor ?? (relative?.generations === 1 ? relative.model : undefined);

/** The columns that name another loaded one, each after the one that it names. */
function chained(
  profiles: readonly ModelProfile[],
  nameBefore: (facts: ModelProfile["facts"]) => string | undefined,
): { readonly column: number; readonly before: number }[] {
  const columnOf = new Map(profiles.map(({ facts }, column) => [facts.model, column]));
  const found: { column: number; before: number }[] = [];
  const done = new Set<number>();
  const add = (column: number): void => {
    if (done.has(column)) return;
    done.add(column);
    const before = columnOf.get(nameBefore((profiles[column] as ModelProfile).facts) ?? "");
    if (before === undefined) return;
    add(before);
    found.push({ column, before });
  };
  for (const column of profiles.keys()) add(column);
  return found;
}

interface PriorInput {
  readonly manifest: Manifest;
  readonly profiles: readonly ModelProfile[];
  readonly columns: readonly BillsOfModel[];
}

async function fillPrior(
  { shape, tables }: ScoreMemory,
  { manifest, profiles, columns }: PriorInput,
): Promise<AnchorSet["prior"]> {
  const { topics, models } = shape;
  // Row by row, since a column touches every page of the tables, and a page takes microseconds when it is first touched.
  await forEachCooperatively([...manifest.topics.keys()], (topic) => {
    for (let model = 0; model < models; model++) {
      const { table } = profiles[model] as ModelProfile;
      const bill = columns[model] as BillsOfModel;
      tables.quality[topic * models + model] = table.quality[topic] as number;
      tables.length[topic * models + model] = bill.correction * (bill.table[topic] as number);
      tables.coverage[topic * models + model] = table.coverage[topic] as number;
    }
  });
  profiles.forEach(({ facts }, model) => {
    tables.quality[topics * models + model] =
      1 / (1 + Math.exp(-facts.general_skill - manifest.overall_ease));
    tables.length[topics * models + model] = (columns[model] as BillsOfModel).overall;
  });
  return {
    quality: tables.quality.subarray(0, topics * models),
    length: tables.length.subarray(0, topics * models),
    coverage: tables.coverage,
    overall: {
      quality: tables.quality.subarray(topics * models),
      length: tables.length.subarray(topics * models),
    },
    overallEase: manifest.overall_ease,
  };
}

interface BillsOfModel {
  readonly table: Float32Array;
  readonly correction: number;
  readonly overall: number;
}

function billColumn({ facts, bill, table }: ModelProfile): BillsOfModel {
  return {
    table: bill?.table ?? new Float32Array(table.quality.length).fill(USUAL_CODE),
    correction: facts.bill?.correction ?? 1,
    overall: facts.bill?.overall ?? USUAL_CODE,
  };
}

function summarise(
  { facts }: ModelProfile,
  { manifest, version }: { readonly manifest: Manifest; readonly version: string },
): ProfileSummary {
  return {
    model: facts.model,
    basis: basisOf(facts),
    samples: facts.scored,
    mean_quality: facts.mean_quality,
    expected_quality: facts.overall_quality,
    quality_stderr: facts.overall_error,
    mean_cost_usd: null,
    benchmarks: facts.benchmarks,
    published: facts.published,
    predecessor: predecessorOf(facts) ?? null,
    dominated_by: null,
    embedder: manifest.embedder.id,
    built_at: manifest.built_at,
    version,
  };
}
