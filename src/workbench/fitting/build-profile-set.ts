import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelDescription } from "../../engine/catalog/model-description.js";
import type { AnchorSet, EvidenceParameters } from "../../engine/estimation/anchor-set.js";
import {
  ABILITIES_FILE,
  assembleAnchorSet,
  buildHnswGraph,
  describeByName,
  FORMAT_VERSION,
  fastestKind,
  HNSW_FILE,
  IVF_FILE,
  MODELS_FOLDER,
  modelFile,
  openAnchorIndex,
  promptKeys,
  writeSetFolder,
} from "../../engine/index.js";
import type { AnchorFacts } from "../../engine/profiles/assemble.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { HnswLibrary } from "../../engine/search/hnsw-library.js";
import { groupBy } from "../../foundation/group-by.js";
import { snakeCased } from "../../foundation/snake-case.js";
import type { PublishedScore } from "../outcomes/published-scores.js";
import { encodeAbilities } from "./abilities-file.js";
import { estimateLengths, type FittedLengths, levelElsewhere } from "./answer-lengths.js";
import { type BillCorrections, correctBills, corrected } from "./bill-corrections.js";
import { difficultyOf, levelTopics } from "./difficulty-scale.js";
import { fitJointEvidence, type JointEvidence } from "./joint-evidence.js";
import { type AnchorTable, profileOf, topicWeights } from "./model-profiles.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import { findRelatives } from "./relatives.js";
import { encodeChecked, SetFiles, storedIndex } from "./set-files.js";
import { sourceSimilarities } from "./source-similarity.js";
import { predecessorOf, type Raise, raiseOf } from "./succession.js";
import { type GatherEvidence, type Tuning, tune, UNTUNED } from "./tune.js";

export interface BuildInput {
  readonly table: OutcomeTable;
  /** Published scores of the table's models. */
  readonly scores?: readonly PublishedScore[];
  /** Difficulty of each anchor's prompt in tiers from 0 to 4, and the model that estimated it. */
  readonly difficulty?: { readonly tiers: Float32Array; readonly fingerprint: string } | undefined;
  /** Mean visible tokens of answers by the text of each anchor's prompt; NaN for multiple choice; absent without such a model. */
  readonly answerTokens?: Float32Array | undefined;
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
  readonly candidates?: Manifest["candidates"] | undefined;
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

type BuildStage = "fit" | "profiles" | "index" | "tune" | "graph";

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
  const { vectors, table } = given;
  const { describe = describeByName, seed, index = { kind: fastestKind(vectors.count) } } = options;
  const difficulty = given.difficulty?.tiers ?? new Float32Array(vectors.count).fill(Number.NaN);
  const fit = fitJointEvidence(table, { scores: given.scores ?? [], describe, seed });
  const joint = levelTopics(fit, table, { tiers: difficulty });
  const answerTokens = given.answerTokens ?? null;
  const lengths = estimateLengths(table, { describe, difficulty, answerTokens });
  stage("fit", 1);
  const fitted = { input: given, joint, lengths };
  const files = new SetFiles(draft);
  const facts = anchorFacts(fitted);
  await files.writeAnchors(vectors, facts);
  const descriptions = new Map(table.models.map(({ model }) => [model, describe(model)]));
  const abilities = { joint, lengths, topicCount: table.topics.length, models: descriptions };
  await files.write(ABILITIES_FILE, encodeAbilities(abilities));
  const models = modelProfiles(fitted, { ...options, anchorsSha256: files.anchorsSha256 });
  // Tuned with the lists, so that the parameters do not depend on the graph.
  const lists = await storedIndex(vectors, index.kind === "exact" ? "exact" : "ivf", (done, total) =>
    stage("index", done, total),
  );
  const manifest = untunedManifest(fitted, options);
  const set = await assembleAnchorSet({
    manifest,
    version: "",
    leftOut: [],
    facts,
    usesDifficulty: true,
    profiles: models,
    index: (await openAnchorIndex(vectors, lists)).index,
  });
  const parameters = tuneSet({ ...set, difficulty: null }, { ...fitted, options });
  const similarity = sourceSimilarities(set, { seed });
  const tuned = { ...set, parameters, sources: { ...set.sources, similarity } };
  const bills = { table, lengths, gather: options.gather };
  const { slope } = billCorrections(tuned, bills);
  const { factors, spread } = billCorrections({ ...tuned, billSlope: slope }, bills);
  for (const profile of models)
    await files.write(
      modelFile(profile.facts.model),
      encodeChecked(corrected(profile, factors.get(profile.facts.model)), manifest),
    );
  if (lists.kind === "ivf") await files.write(IVF_FILE, lists.lists.bytes);
  if (index.kind === "hnsw") await writeGraph(files, vectors, { ...options, library: index.library });
  return files.writeManifest({
    ...manifest,
    sources: manifest.sources.map((each, at) => ({
      ...each,
      ...(similarity[at] && { similarity: similarity[at] }),
    })),
    parameters: snakeCased(parameters),
    bill_slope: slope,
    bill_spread: spread,
    index: index.kind,
  });
}

async function writeGraph(
  files: SetFiles,
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

interface Fitted {
  readonly input: BuildInput;
  readonly joint: JointEvidence;
  readonly lengths: FittedLengths;
}

const anchorFacts = ({ input, joint, lengths }: Fitted): AnchorFacts => ({
  benchmark: input.table.benchmarkOf,
  source: input.table.sourceOf,
  topic: input.table.topicOf,
  prompt_tokens: input.table.tokensIn,
  level_quality: joint.ease,
  level_answer: lengths.answerLevel,
  ...(lengths.bills === null ? {} : { level_bill: lengths.bills.level }),
  ...(input.answerTokens === undefined ? {} : { answer_tokens: input.answerTokens }),
  ...(input.difficulty === undefined ? {} : { difficulty: input.difficulty.tiers }),
  prompt_key: promptKeys(input.table.promptIds),
});

/** The profile of each model of the table before its bills are corrected. */
function modelProfiles(
  fitted: Fitted,
  { describe = describeByName, anchorsSha256, onStage }: BuildOptions & { readonly anchorsSha256: string },
) {
  const { models } = fitted.input.table;
  const columnOf = new Map(models.map(({ model }, column) => [model, column]));
  const published = groupBy(fitted.input.scores ?? [], ({ model }) => model);
  const relatives = findRelatives(
    models.map(({ model, anchors }) => ({ model, description: describe(model), answers: anchors.length })),
  );
  const built: ModelProfile[] = [];
  const build = (column: number): ModelProfile => {
    const outcomes = models[column] as ModelOutcomes;
    const { model } = outcomes;
    const predecessor = columnOf.get(predecessorOf(describe(model), describe) ?? "");
    const facts = { published: published.get(model) ?? [], relative: relatives.get(model) };
    const at = (raised?: Raise) =>
      profileOf(outcomes, { ...fitted, column, anchorsSha256, raised, ...facts });
    const before = predecessor === undefined ? undefined : build(predecessor).facts;
    built[column] ??= at(raiseOf((raised) => at(raised).facts, before));
    return built[column];
  };
  return models.map((_, column) => {
    onStage?.("profiles", column + 1, models.length);
    return build(column);
  });
}

/** In the order of its schema. */
function untunedManifest({ input, joint, lengths }: Fitted, options: BuildOptions): Manifest {
  const { table, vectors, embedder } = input;
  const { clusteredTopics = [] } = table;
  return {
    format: FORMAT_VERSION,
    name: options.name,
    built_at: options.builtAt,
    embedder: { id: embedder.id, fingerprint: embedder.fingerprint, dimensions: vectors.dimensions },
    anchors: vectors.count,
    benchmarks: [...table.benchmarks],
    topics: [...table.topics],
    ...(clusteredTopics.length === 0 ? {} : { clustered_topics: [...clusteredTopics] }),
    sources: table.sources.map(({ name, licence, commit, url, anchors }) => ({
      name,
      licence,
      commit,
      url,
      anchors,
    })),
    seed: options.seed,
    candidates: options.candidates ?? "all",
    parameters: snakeCased(UNTUNED),
    answer_level: levelElsewhere(lengths.answerLevel, table),
    bill_slope: 1,
    bill_spread: 0,
    index: "exact",
    overall_ease: overallEase(table, joint.ease),
    ...(input.difficulty && { difficulty: difficultyOf(table, { ease: joint.ease, ...input.difficulty }) }),
    files: [],
  };
}

interface TuneSetInput extends Fitted {
  readonly options: BuildOptions;
}

function tuneSet(set: AnchorSet, { input, joint, options }: TuneSetInput): EvidenceParameters {
  const quality = input.table.models.map((outcomes) => byAnchor(outcomes, outcomes.quality, set));
  return tune(
    {
      set,
      joint,
      qualityOf: (model, anchor) => (quality[model] as Float32Array)[anchor] as number,
    },
    {
      gather: options.gather,
      seed: options.seed,
      tuning: options.tuning ?? "full",
      onProgress: (done, total) => options.onStage?.("tune", done, total),
    },
  );
}

interface BilledSet extends Pick<BuildInput, "table"> {
  readonly lengths: Pick<FittedLengths, "bills">;
  readonly gather: GatherEvidence;
}

function billCorrections(set: AnchorSet, { table, lengths: { bills }, gather }: BilledSet): BillCorrections {
  if (bills === null) return { factors: new Map(), slope: 1, spread: 0, realOverExpected: null };
  const columnOf = new Map(table.models.map(({ model }, column) => [model, column]));
  return correctBills(set, {
    gather,
    codesOf(model) {
      const column = columnOf.get(model) as number;
      const codes = bills.codes[column] as Float32Array;
      if (codes.every(Number.isNaN)) return undefined;
      return byAnchor(table.models[column] as ModelOutcomes, codes, set);
    },
  });
}

/** Values of a model's answers by anchor, NaN where it has none. */
function byAnchor({ anchors }: ModelOutcomes, values: Float32Array, { index }: AnchorSet): Float32Array {
  const dense = new Float32Array(index.size).fill(Number.NaN);
  anchors.forEach((anchor, cell) => {
    dense[anchor] = values[cell] as number;
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
