import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelDescription } from "../../engine/catalog/model-description.js";
import type { AnchorSet } from "../../engine/estimation/anchor-set.js";
import {
  ABILITIES_FILE,
  ANCHORS_FILE,
  buildHnswGraph,
  buildIvfLists,
  CLUSTERS_FILE,
  decodeModelProfile,
  describeByName,
  encodeIvfLists,
  encodeManifest,
  encodeModelProfile,
  FACTS_FILE,
  FORMAT_VERSION,
  fastestKind,
  HNSW_FILE,
  IVF_FILE,
  loadProfileSet,
  MANIFEST_FILE,
  MODELS_FOLDER,
  modelFile,
  promptKeys,
  quantise,
  TRAFFIC_FILE,
  writeSetFolder,
} from "../../engine/index.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { HnswLibrary } from "../../engine/search/hnsw-library.js";
import { encodeSections } from "../../foundation/section-file.js";
import type { PublishedScore } from "../outcomes/published-scores.js";
import { encodeAbilities } from "./abilities-file.js";
import { estimateLengths, type FittedLengths, levelElsewhere } from "./answer-lengths.js";
import { correctBills } from "./bill-corrections.js";
import { type AnchorMemberships, assignAnchors, type ModelTable } from "./cluster-tables.js";
import { type ClusterResolutions, clusterAnchors, vectorSource } from "./clusters.js";
import { difficultyOf, levelTopics } from "./difficulty-scale.js";
import { FileList } from "./file-list.js";
import { fitJointEvidence, type JointEvidence } from "./joint-evidence.js";
import { type AnchorTable, profileOf, topicWeights } from "./model-profiles.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import { findRelatives } from "./relatives.js";
import { sourceSimilarities } from "./source-similarity.js";
import { DEFAULT_KERNEL, type GatherEvidence, type Tuning, tune } from "./tune.js";

export interface BuildInput {
  readonly table: OutcomeTable;
  /** Published scores of the table's models. */
  readonly scores?: readonly PublishedScore[];
  /** Difficulty of each anchor's prompt in tiers from 0 to 4, and the model that estimated it. */
  readonly difficulty?: { readonly tiers: Float32Array; readonly fingerprint: string };
  /** Mean visible tokens of answers by the text of each anchor's prompt; NaN for multiple choice; absent without such a model. */
  readonly answerTokens?: Float32Array | undefined;
  /** Content of `traffic.bin`. */
  readonly traffic?: Uint8Array | undefined;
  /** Vectors of the anchors, in the table's order. */
  readonly vectors: AnchorVectors;
  readonly embedder: { readonly id: string; readonly fingerprint: string };
}

export interface BuildOptions {
  /** Set folder to write; replaced when it exists. */
  readonly folder: string;
  readonly name: string;
  /** ISO 8601, UTC; written to the manifest. */
  readonly builtAt: string;
  readonly seed: number;
  /** The router's estimator, for tuning. */
  readonly gather: GatherEvidence;
  /** Whether models that no provider is known to serve are candidates; `all` when absent. */
  readonly candidates?: Manifest["candidates"];
  /** Description of a model apart from its scores; derived from its name when absent. */
  readonly describe?: (model: string) => ModelDescription;
  /** The fastest kind for the number of anchors when absent. */
  readonly index?: IndexToBuild | undefined;
  readonly onStage?: ((stage: BuildStage, done: number, total: number) => void) | undefined;
  /** See `TuneOptions`; default `full`. */
  readonly tuning?: Tuning;
}

export type IndexToBuild =
  | { readonly kind: "exact" | "ivf" }
  | { readonly kind: "hnsw"; readonly library: HnswLibrary };

type BuildStage = "fit" | "cluster" | "profiles" | "index" | "tune" | "graph";

/**
 * Builds a profile set on disk from outcomes and vectors. Deterministic: the same input, seed and `builtAt` give the
 * same bytes. See `writeSetFolder` for what a kill or a failure leaves.
 */
export function buildProfileSet(given: BuildInput, options: BuildOptions): Promise<Manifest> {
  return writeSetFolder(options.folder, (draft) => writeDraft(draft, { given, options }));
}

async function writeDraft(
  draft: string,
  { given, options }: { readonly given: BuildInput; readonly options: BuildOptions },
): Promise<Manifest> {
  const stage = (name: BuildStage, done: number, total = 1) => options.onStage?.(name, done, total);
  await mkdir(join(draft, MODELS_FOLDER), { recursive: true });
  stage("fit", 0);
  const { describe = describeByName, seed, index = { kind: fastestKind(given.vectors.count) } } = options;
  const difficulty = given.difficulty?.tiers ?? new Float32Array(given.vectors.count).fill(Number.NaN);
  const fit = fitJointEvidence(given.table, { scores: given.scores ?? [], describe, seed });
  const joint = levelTopics(fit, given.table, { tiers: difficulty });
  const lengths = estimateLengths(given.table, {
    ...{ describe, difficulty },
    answerTokens: given.answerTokens ?? null,
  });
  const fitted = { input: given, joint, lengths };
  stage("fit", 1);
  stage("cluster", 0);
  const source = vectorSource(given.vectors);
  const clusters = clusterAnchors(source, { seed: options.seed });
  const members = assignAnchors(source, clusters);
  stage("cluster", 1);
  const files = new FileList(draft);
  await writeAnchors(files, { ...fitted, clusters, members });
  await files.write(
    ABILITIES_FILE,
    encodeAbilities({
      joint,
      lengths,
      topicCount: given.table.topics.length,
      models: new Map(given.table.models.map(({ model }) => [model, describe(model)])),
    }),
  );
  if (given.traffic !== undefined) await files.write(TRAFFIC_FILE, given.traffic);
  const tables = await writeModels(files, { ...fitted, clusters, members, options });
  if (index.kind !== "exact") await writeLists(files, given.vectors, options);
  const manifest = draftManifest({ ...fitted, options, clusters, files: files.entries });
  await writeManifest(draft, manifest);
  const tuned = await tuneDraft(draft, { ...fitted, members, tables, options });
  await writeManifest(draft, tuned);
  const spread = await writeBillCorrections(files, { ...fitted, options });
  if (index.kind === "hnsw") await writeGraph(files, given.vectors, { ...options, library: index.library });
  const finished = { ...tuned, bill_spread: spread, index: index.kind, files: files.entries };
  await writeManifest(draft, finished);
  return finished;
}

async function writeLists(files: FileList, vectors: AnchorVectors, { onStage }: BuildOptions): Promise<void> {
  const lists = await buildIvfLists(vectors, {
    onProgress: (done, total) => onStage?.("index", done, total),
  });
  await files.write(IVF_FILE, encodeIvfLists(lists));
}

async function writeGraph(
  files: FileList,
  vectors: AnchorVectors,
  { library, onStage }: BuildOptions & { readonly library: HnswLibrary },
): Promise<void> {
  const graph = await buildHnswGraph(vectors, {
    library,
    onProgress: (done, total) => onStage?.("graph", done, total),
  });
  // The library writes to a path only.
  const path = join(files.folder, HNSW_FILE);
  graph.writeIndexSync(path);
  await files.write(HNSW_FILE, await readFile(path));
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST_FILE), encodeManifest(manifest));
}

interface Fits {
  readonly input: BuildInput;
  readonly joint: JointEvidence;
  readonly lengths: FittedLengths;
}

interface Fitted extends Fits {
  readonly clusters: ClusterResolutions;
  readonly members: AnchorMemberships;
}

async function writeAnchors(files: FileList, { input, joint, lengths, clusters }: Fitted): Promise<void> {
  const { vectors, table } = input;
  await files.write(
    ANCHORS_FILE,
    encodeSections({ facts: {}, sections: { codes: vectors.codes, scales: vectors.scales } }),
  );
  const facts = {
    benchmark: table.benchmarkOf,
    source: table.sourceOf,
    topic: table.topicOf,
    prompt_tokens: table.tokensIn,
    level_quality: joint.ease,
    level_answer: lengths.answerLevel,
    ...(lengths.bills === null ? {} : { level_bill: lengths.bills.level }),
    ...(input.answerTokens === undefined ? {} : { answer_tokens: input.answerTokens }),
    ...(input.difficulty === undefined ? {} : { difficulty: input.difficulty.tiers }),
    prompt_key: promptKeys(table.promptIds),
  };
  await files.write(FACTS_FILE, encodeSections({ facts: {}, sections: facts }));
  const centroids = quantise(clusters.centroids, vectors.dimensions);
  await files.write(
    CLUSTERS_FILE,
    encodeSections({
      facts: {},
      sections: { codes: centroids.codes, scales: centroids.scales },
    }),
  );
}

async function writeModels(
  files: FileList,
  fitted: Fitted & { readonly options: BuildOptions },
): Promise<Map<string, ModelTable>> {
  const { models } = fitted.input.table;
  const published = scoresByModel(fitted.input.scores ?? []);
  const { describe = describeByName } = fitted.options;
  const relatives = findRelatives(
    models.map(({ model, anchors }) => ({ model, description: describe(model), answers: anchors.length })),
  );
  const tables = new Map<string, ModelTable>();
  for (const [column, outcomes] of models.entries()) {
    const { profile, table } = profileOf(outcomes, {
      ...fitted,
      column,
      published: published.get(outcomes.model) ?? [],
      anchorsSha256: files.sha256Of(ANCHORS_FILE),
      relative: relatives.get(outcomes.model),
    });
    const path = modelFile(outcomes.model);
    await files.write(path, encodeModelProfile(profile));
    tables.set(outcomes.model, table);
    fitted.options.onStage?.("profiles", column + 1, models.length);
  }
  return tables;
}

function scoresByModel(scores: readonly PublishedScore[]): Map<string, PublishedScore[]> {
  const byModel = new Map<string, PublishedScore[]>();
  for (const score of scores) {
    const found = byModel.get(score.model);
    if (found === undefined) byModel.set(score.model, [score]);
    else found.push(score);
  }
  return byModel;
}

interface DraftInput extends Fits {
  readonly options: BuildOptions;
  readonly clusters: ClusterResolutions;
  readonly files: Manifest["files"];
}

function draftManifest({ input, options, joint, lengths, clusters, files }: DraftInput): Manifest {
  const { table, vectors, embedder } = input;
  return {
    format: FORMAT_VERSION,
    name: options.name,
    built_at: options.builtAt,
    embedder: { id: embedder.id, fingerprint: embedder.fingerprint, dimensions: vectors.dimensions },
    anchors: vectors.count,
    benchmarks: [...table.benchmarks],
    topics: [...table.topics],
    ...withUnlabelledTopics(table),
    sources: table.sources.map(({ name, licence, commit, url, anchors }) => ({
      name,
      licence,
      commit,
      url,
      anchors,
    })),
    seed: options.seed,
    candidates: options.candidates ?? "all",
    parameters: {
      neighbours: DEFAULT_KERNEL.neighbours,
      kernel_width: DEFAULT_KERNEL.kernelWidth,
      prior_weight: DEFAULT_KERNEL.priorWeight,
      topic_weight: DEFAULT_KERNEL.topicWeight,
      out_of_distribution_similarity: 0,
      in_distribution_similarity: 0,
      near_similarity: 0,
      paired_correlation: 0,
    },
    // Tuned with the lists, so that the parameters do not depend on the graph.
    index: files.some(({ path }) => path === IVF_FILE) ? "ivf" : "exact",
    clusters: { resolution_starts: [...clusters.resolutionStarts] },
    overall_ease: overallEase(table, joint.ease),
    answer_level: levelElsewhere(lengths.answerLevel, table),
    bill_spread: 0,
    ...(input.difficulty === undefined
      ? {}
      : { difficulty: difficultyOf(table, { ease: joint.ease, ...input.difficulty }) }),
    files,
  };
}

/** Left out of the manifest where every topic has a name. */
const withUnlabelledTopics = ({
  unlabelledTopics = [],
}: OutcomeTable): Pick<Manifest, "unlabelled_topics"> =>
  unlabelledTopics.length === 0 ? {} : { unlabelled_topics: [...unlabelledTopics] };

interface TuneDraft extends Fits {
  readonly members: AnchorMemberships;
  readonly tables: ReadonlyMap<string, ModelTable>;
  readonly options: BuildOptions;
}

async function tuneDraft(
  draft: string,
  { input, joint, members, tables, options }: TuneDraft,
): Promise<Manifest> {
  const { set, manifest } = await loadProfileSet(draft, {});
  const columnOf = new Map(input.table.models.map(({ model }, column) => [model, column]));
  const columns = set.models.map((model) => columnOf.get(model) as number);
  const quality = columns.map((column) => denseQuality(input.table.models[column] as ModelOutcomes, set));
  const parameters = tune(
    {
      set,
      members,
      tables: set.models.map((model) => tables.get(model) as ModelTable),
      qualityOf: (model, anchor) => (quality[model] as Float32Array)[anchor] as number,
      joint,
      columns,
    },
    {
      gather: options.gather,
      seed: options.seed,
      tuning: options.tuning ?? "full",
      onProgress: (done, total) => options.onStage?.("tune", done, total),
    },
  );
  const similarity = sourceSimilarities(set, { seed: options.seed });
  return {
    ...manifest,
    sources: manifest.sources.map((source, index) => {
      const own = similarity[index];
      return own === undefined ? source : { ...source, similarity: own };
    }),
    parameters: {
      neighbours: parameters.neighbours,
      kernel_width: parameters.kernelWidth,
      prior_weight: parameters.priorWeight,
      topic_weight: parameters.topicWeight,
      out_of_distribution_similarity: parameters.outOfDistributionSimilarity,
      in_distribution_similarity: parameters.inDistributionSimilarity,
      near_similarity: parameters.nearSimilarity,
      paired_correlation: parameters.pairedCorrelation,
    },
  };
}

/** Writes to the profiles of a draft the corrections of their bills. @returns the spread of bills */
async function writeBillCorrections(
  files: FileList,
  {
    input: { table, embedder, difficulty },
    lengths: { bills },
    options,
  }: Fits & { readonly options: BuildOptions },
): Promise<number> {
  if (bills === null) return 0;
  const { id, fingerprint } = embedder;
  const { set } = await loadProfileSet(files.folder, { embedder: { id, fingerprint, difficulty } });
  const columnOf = new Map(table.models.map(({ model }, column) => [model, column]));
  const { factors, spread } = correctBills(set, {
    gather: options.gather,
    codesOf(model) {
      const column = columnOf.get(model) as number;
      return byAnchor(table.models[column] as ModelOutcomes, bills.codes[column] as Float32Array, {
        length: set.index.size,
      });
    },
  });
  for (const { model } of table.models) {
    const path = modelFile(model);
    const profile = decodeModelProfile(await readFile(join(files.folder, path)), path);
    const { bill } = profile.facts;
    if (bill === undefined) continue;
    // The correction applies to codes, which are fourth roots.
    const correction = Math.sqrt(Math.sqrt(factors.get(model) ?? 1));
    const facts = { ...profile.facts, bill: { ...bill, correction } };
    await files.write(path, encodeModelProfile({ ...profile, facts }));
  }
  return spread;
}

/** Values per cell as values per anchor, NaN = unknown; undefined when all are. */
function byAnchor(
  { anchors }: ModelOutcomes,
  values: Float32Array,
  { length }: { readonly length: number },
): Float32Array | undefined {
  if (values.every(Number.isNaN)) return undefined;
  const dense = new Float32Array(length).fill(Number.NaN);
  anchors.forEach((anchor, cell) => {
    dense[anchor] = values[cell] as number;
  });
  return dense;
}

/** Quality per anchor, NaN = not observed. */
function denseQuality(outcomes: ModelOutcomes, set: AnchorSet): Float32Array {
  const dense = new Float32Array(set.index.size).fill(Number.NaN);
  outcomes.anchors.forEach((anchor, cell) => {
    dense[anchor] = outcomes.quality[cell] as number;
  });
  return dense;
}

/** Mean ease of the anchors, with the topic weights of the overall expectation. */
export function overallEase(table: AnchorTable, ease: Float32Array): number {
  const weights = topicWeights(table);
  const sums = new Float64Array(weights.length);
  const counts = new Float64Array(weights.length);
  table.topicOf.forEach((topic, anchor) => {
    sums[topic] = (sums[topic] as number) + (ease[anchor] as number);
    counts[topic] = (counts[topic] as number) + 1;
  });
  return weights.reduce(
    (sum, weight, topic) => sum + (weight * (sums[topic] as number)) / Math.max(1, counts[topic] as number),
    0,
  );
}
