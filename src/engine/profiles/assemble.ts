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
import { allocateAnchorVectors } from "../search/anchor-vectors.js";
import { openKernel } from "../search/similarity.js";
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

/** Per-cluster facts, as `clusters.bin` holds them. */
export interface ClusterFacts {
  readonly codes: Int8Array;
  readonly scales: Float32Array;
}

/** What the files of a profile set hold, and the choices made at loading. */
export interface AnchorSetInput {
  readonly manifest: Manifest;
  readonly version: string;
  readonly leftOut: readonly string[];
  readonly index: AnchorIndex;
  readonly facts: AnchorFacts;
  readonly clusters: ClusterFacts;
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
  const firstTopic = manifest.clusters.resolution_starts.at(-1) as number;
  const scores = allocateScoreMemory({
    anchors: manifest.anchors,
    models: profiles.length,
    rows: firstTopic + manifest.topics.length,
    firstTopic,
  });
  const prior = await fillPrior(scores, { input, profiles, columns });
  const rows = await openScoreRows(scores, { profiles, anchors: facts });
  await yieldThread();
  return {
    name: manifest.name,
    version: input.version,
    embedderFingerprint: manifest.embedder.fingerprint,
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
    topicWeight: parameters.topic_weight,
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
  readonly input: AnchorSetInput;
  readonly profiles: readonly ModelProfile[];
  readonly columns: readonly BillsOfModel[];
}

async function fillPrior(
  { shape, tables }: ScoreMemory,
  { input, profiles, columns }: PriorInput,
): Promise<AnchorSet["prior"]> {
  const { rows, firstTopic, models } = shape;
  const { manifest } = input;
  // Row by row, since a column touches every page of the tables, and a page takes microseconds when it is first touched.
  const everyRow = Array.from({ length: rows }, (_, row) => row);
  await forEachCooperatively(everyRow, (row) => {
    for (let model = 0; model < models; model++) {
      const { table } = profiles[model] as ModelProfile;
      const bill = columns[model] as BillsOfModel;
      tables.quality[row * models + model] = table.quality[row] as number;
      tables.length[row * models + model] = bill.correction * (bill.table[row] as number);
      if (row >= firstTopic)
        tables.coverage[(row - firstTopic) * models + model] = table.coverage[row - firstTopic] as number;
    }
  });
  profiles.forEach(({ facts }, model) => {
    tables.quality[rows * models + model] = 1 / (1 + Math.exp(-facts.general_skill - manifest.overall_ease));
    tables.length[rows * models + model] = (columns[model] as BillsOfModel).overall;
  });
  return {
    similarities: scanOf(input.clusters, { clusters: firstTopic, dimensions: input.index.dimensions }),
    resolutionStarts: manifest.clusters.resolution_starts,
    quality: tables.quality.subarray(0, rows * models),
    length: tables.length.subarray(0, rows * models),
    coverage: tables.coverage,
    overall: {
      quality: tables.quality.subarray(rows * models),
      length: tables.length.subarray(rows * models),
    },
    overallEase: manifest.overall_ease,
  };
}

/** Similarities to all centroids; the returned view is overwritten by the next call. */
export function scanOf(
  clusters: ClusterFacts,
  shape: { readonly clusters: number; readonly dimensions: number },
): (vector: Float32Array) => Float32Array {
  const centroids = allocateAnchorVectors(shape.clusters, shape.dimensions);
  centroids.codes.set(clusters.codes);
  centroids.scales.set(clusters.scales);
  const kernel = openKernel(centroids);
  return (vector) => {
    kernel.load(vector);
    return kernel.all().similarities;
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
