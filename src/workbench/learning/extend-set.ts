import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Embedder } from "../../engine/embedding/embedder.js";
import {
  ABILITIES_FILE,
  allocateAnchorVectors,
  assembleAnchorSet,
  checkEmbedder,
  decodeRow,
  fastestKind,
  gatherEvidence,
  IVF_FILE,
  loadProfileSet,
  MODELS_FOLDER,
  modelFile,
  openAnchorIndex,
  promptKeys,
  readChecked,
  readManifest,
  writeSetFolder,
} from "../../engine/index.js";
import type { AnchorFacts } from "../../engine/profiles/assemble.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { ModelProfile } from "../../engine/profiles/model-profile.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import type { StoredIndex } from "../../engine/search/open-index.js";
import { USUAL_BILL } from "../fitting/answer-lengths.js";
import { correctBills, corrected } from "../fitting/bill-corrections.js";
import { overallEase } from "../fitting/build-profile-set.js";
import { collectOutcomes } from "../fitting/collect.js";
import { embedPrompts } from "../fitting/embed-prompts.js";
import { type AnchorTable, topicWeights } from "../fitting/model-profiles.js";
import { encodeChecked, SetFiles, storedIndex } from "../fitting/set-files.js";
import { sourceSimilarities } from "../fitting/source-similarity.js";
import { openPlaceableSet, type PlaceableSet } from "../placement/placeable-set.js";
import { isBuiltIn } from "../placement/profile-files.js";
import type { Traffic } from "./expectations.js";
import { extendProfile } from "./extend-profile.js";
import { type Learned, learnFromTraffic } from "./learn.js";

interface ExtendOptions {
  /** Set folder to write; replaced when it exists. */
  readonly folder: string;
  /** Name of the new set, and of the benchmark that the traffic becomes in it: also of a source, beside several. */
  readonly name: string;
  readonly sourceName: string;
  readonly embedder: { readonly id: string; readonly fingerprint: string };
  /** ISO 8601, UTC; written to the manifest. */
  readonly builtAt: string;
  readonly seed: number;
  readonly onProgress?: ((step: string, done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExtendedSet {
  readonly manifest: Manifest;
  readonly learned: Learned;
  /** Sum of the bills of its answers over what the set expects of each prompt that it has not learned from; null without any. */
  readonly realOverExpected: number | null;
  /** Models of the traffic that the set does not have, whose answers were left out. */
  readonly unknownModels: readonly string[];
}

interface UpdateOptions extends Omit<ExtendOptions, "embedder" | "sourceName"> {
  readonly embedder: Embedder;
  /** Profile of a model or deployment of the outcomes: the name itself when absent. */
  readonly rename?: (model: string) => string;
  readonly onNote?: ((note: string) => void) | undefined;
}

/**
 * Extends a set by the outcomes of traffic in a folder, `prompts.jsonl` and `outcomes.jsonl`. An interrupted run resumes embedding where
 * it was; nothing else is left of it.
 *
 * @throws OutcomeDataError at the first fault of a file, ProfileSetError
 */
export async function updateSet(
  setFolder: string,
  outcomesFolder: string,
  { embedder, rename, onNote, ...options }: UpdateOptions,
): Promise<ExtendedSet> {
  const { folder, signal, onProgress } = options;
  const manifest = await readManifest(setFolder);
  checkEmbedder(setFolder, manifest, embedder);
  const sourceName = newName([...manifest.benchmarks, ...manifest.sources.map(({ name }) => name)]);
  const files = { prompts: [outcomesFolder], outcomes: [outcomesFolder] };
  const source = { name: sourceName, licence: null, commit: null, url: null, ...files };
  const table = await collectOutcomes([source], {
    signal,
    rename: (model) => rename?.(model) ?? model,
    onRows: (rows) => onProgress?.("read", rows, 0),
  });
  const checkpointFile = `${folder}.partial`;
  const { vectors, tiers, answerTokens } = await embedPrompts(
    { sources: [source], promptIds: table.promptIds, embedder },
    {
      signal,
      checkpointFile,
      onProgress: (done, total) => onProgress?.("embed", done, total),
      onNote,
    },
  );
  const extended = await extendSet(
    setFolder,
    { table, vectors, tiers, answerTokens },
    { ...options, embedder, sourceName },
  );
  await rm(checkpointFile, { force: true });
  return extended;
}

/** `traffic`, `traffic-2`, …: a set may learn again and again. */
function newName(taken: readonly string[]): string {
  let name = "traffic";
  for (let count = 2; taken.includes(name); count++) name = `traffic-${count}`;
  return name;
}

/**
 * Writes a set that also holds what traffic says: its prompts become anchors of one more source, on topics of their own, with the
 * skills that its graded answers show. What the set knew before stays as it was. The same input gives the same bytes. See
 * `writeSetFolder` for what a kill or a failure leaves.
 *
 * @throws ProfileSetError when the set cannot be used, or was built with another embedder
 */
export async function extendSet(
  setFolder: string,
  traffic: Traffic,
  options: ExtendOptions,
): Promise<ExtendedSet> {
  const { folder, seed, embedder, signal, onProgress } = options;
  const known = await openPlaceableSet(setFolder);
  const profiles = new Map(known.profiles.map(({ profile }) => [profile.facts.model, profile]));
  const { set } = await loadProfileSet(setFolder, { embedder });
  const learned = await learnFromTraffic(set, traffic, {
    seed,
    signal,
    billAbility: Float64Array.from(set.models, (model) => profiles.get(model)?.facts.bill?.ability ?? 0),
    onProgress: (done, total) => onProgress?.("expect", done, total),
  });
  const sources = { setFolder, known, profiles, models: set.models, traffic, learned, ...options };
  const written = await writeSetFolder(folder, async (draft) => {
    await mkdir(join(draft, MODELS_FOLDER));
    const written = await writeDraft(draft, sources);
    signal?.throwIfAborted();
    return written;
  });
  const unknownModels = traffic.table.models.flatMap(({ model }) => (profiles.has(model) ? [] : [model]));
  return { ...written, learned, unknownModels };
}

interface DraftSources extends ExtendOptions {
  readonly setFolder: string;
  readonly known: PlaceableSet;
  readonly profiles: ReadonlyMap<string, ModelProfile>;
  /** In the column order of what was learned. */
  readonly models: readonly string[];
  readonly traffic: Traffic;
  readonly learned: Learned;
}

async function writeDraft(
  draft: string,
  sources: DraftSources,
): Promise<Pick<ExtendedSet, "manifest" | "realOverExpected">> {
  const { known, seed, onProgress } = sources;
  const files = new SetFiles(draft);
  const joined = joinedAnchors(known, sources);
  const { vectors, facts, table } = joined;
  await files.writeAnchors(vectors, facts);
  await files.write(ABILITIES_FILE, await extendAbilities(sources));
  const index = fastestKind(vectors.count);
  // What was recommended for the decisions of the old set is not known of the new one.
  const { recommended_cost_weight: _, ...kept } = known.manifest;
  const lists = await storedIndex(vectors, index, (done, total) => onProgress?.("index", done, total));
  const manifest: Manifest = {
    ...kept,
    name: sources.name,
    built_at: sources.builtAt,
    seed,
    index,
    anchors: vectors.count,
    benchmarks: [...table.benchmarks],
    topics: [...table.topics],
    overall_ease: overallEase(table, facts.level_quality),
    sources: await withSimilarity(joined, { lists, seed }),
  };
  const extended = extendedProfiles({
    ...sources,
    joined,
    anchorsSha256: files.anchorsSha256,
  });
  const { index: opened } = await openAnchorIndex(vectors, lists);
  const loaded = { version: "", leftOut: [], usesDifficulty: true };
  const set = await assembleAnchorSet({
    ...loaded,
    manifest,
    facts,
    profiles: extended,
    index: opened,
  });
  const bills = { codesOf: codesOf(sources), gather: gatherEvidence, from: known.manifest.anchors };
  const { factors, realOverExpected } = correctBills(set, bills);
  for (const profile of extended) {
    const { model } = profile.facts;
    const bytes = encodeChecked(corrected(profile, factors.get(model)), manifest);
    // A model that was added to the set remains one that was added.
    if (isBuiltIn(known.manifest, model)) await files.write(modelFile(model), bytes);
    else await writeFile(join(files.folder, modelFile(model)), bytes);
  }
  if (lists.kind === "ivf") await files.write(IVF_FILE, lists.lists.bytes);
  return { manifest: await files.writeManifest(manifest), realOverExpected };
}

/** Codes of a model's bills in the traffic, by anchor of the joined set. */
const codesOf =
  ({ known, traffic, learned }: DraftSources) =>
  (model: string): Float32Array | undefined => {
    const codes = learned.codes.get(model);
    if (codes === undefined) return undefined;
    const first = known.manifest.anchors;
    const byAnchor = new Float32Array(first + traffic.vectors.count).fill(Number.NaN);
    traffic.table.models
      .find((outcomes) => outcomes.model === model)
      ?.anchors.forEach((anchor, cell) => {
        byAnchor[first + anchor] = codes[cell] as number;
      });
    return byAnchor;
  };

interface ProfileSources extends DraftSources {
  readonly joined: JoinedAnchors;
  readonly anchorsSha256: string;
}

/** The profile of each model with what was learned, before its bills are corrected. */
function extendedProfiles(sources: ProfileSources): readonly ModelProfile[] {
  const { known, profiles, models, traffic, learned, joined, onProgress, signal } = sources;
  const outcomesOf = new Map(traffic.table.models.map((outcomes) => [outcomes.model, outcomes]));
  const context = {
    learned,
    table: joined.table,
    weights: topicWeights(joined.table),
    ease: joined.facts.level_quality,
    billLevel: billLevelOf(joined.facts),
    firstAnchor: known.manifest.anchors,
    anchorsSha256: sources.anchorsSha256,
  };
  return models.flatMap((model, column) => {
    signal?.throwIfAborted();
    onProgress?.("profiles", column + 1, models.length);
    const profile = profiles.get(model);
    return profile === undefined
      ? []
      : extendProfile(profile, { ...context, column, outcomes: outcomesOf.get(model) });
  });
}

interface JoinedAnchors {
  readonly vectors: AnchorVectors;
  readonly facts: AnchorFacts;
  readonly table: AnchorTable;
  readonly sources: Manifest["sources"];
}

/** The anchors of the set, then the prompts of the traffic. */
function joinedAnchors(
  { manifest, vectors, facts, table }: PlaceableSet,
  { traffic, learned, sourceName }: DraftSources,
): JoinedAnchors {
  const count = traffic.vectors.count;
  const joined = allocateAnchorVectors(vectors.count + count, vectors.dimensions);
  joined.codes.set(vectors.codes);
  joined.codes.set(traffic.vectors.codes, vectors.codes.length);
  joined.scales.set(vectors.scales);
  joined.scales.set(traffic.vectors.scales, vectors.scales.length);
  const repeated = (value: number) => new Uint16Array(count).fill(value);
  const topics = [
    ...manifest.topics,
    ...Array.from({ length: learned.topicCount }, (_, topic) => `${sourceName}/${topic + 1}`),
  ];
  const topic = joinArrays(
    facts.topic,
    learned.topicOf.map((each) => each + manifest.topics.length),
  );
  const benchmark = joinArrays(facts.benchmark, repeated(manifest.benchmarks.length));
  const benchmarks = [...manifest.benchmarks, sourceName];
  const origin = { name: sourceName, licence: null, commit: null, url: null, anchors: count };
  // A set of one source is taken for the traffic itself: apart from it, each would say nothing of what the other's prompts cost.
  const [only, ...others] = manifest.sources;
  const isOfTraffic = only !== undefined && others.length === 0;
  const sources = isOfTraffic ? [{ ...only, anchors: only.anchors + count }] : [...manifest.sources, origin];
  const sourceOf = joinArrays(table.sourceOf, repeated(sources.length - 1));
  const tiers = traffic.tiers ?? new Float32Array(count).fill(Number.NaN);
  return {
    vectors: joined,
    table: { benchmarks, benchmarkOf: benchmark, topics, topicOf: topic, sources, sourceOf },
    sources,
    facts: {
      benchmark,
      topic,
      source: sourceOf,
      prompt_tokens: joinArrays(facts.prompt_tokens, traffic.table.tokensIn),
      level_quality: joinArrays(facts.level_quality, learned.ease),
      level_answer: joinArrays(facts.level_answer, learned.answerLevel),
      level_bill: joinArrays(billLevelOf(facts), learned.billLevel),
      ...(facts.answer_tokens === undefined
        ? {}
        : { answer_tokens: joinArrays(facts.answer_tokens, learned.answerTokens) }),
      ...(facts.difficulty === undefined ? {} : { difficulty: joinArrays(facts.difficulty, tiers) }),
      prompt_key: joinArrays(facts.prompt_key, promptKeys(traffic.table.promptIds)),
    },
  };
}

/** Of a set without bills, as if the expected ones had been paid. */
const billLevelOf = ({ level_bill, level_quality }: AnchorFacts): Float32Array =>
  level_bill ?? new Float32Array(level_quality.length).fill(USUAL_BILL);

function joinArrays<Values extends Float32Array | Uint16Array | Uint32Array>(
  first: Values,
  second: Values,
): Values {
  const joined = new (first.constructor as new (length: number) => Values)(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/** A topic of traffic is, for models that are added later, a test of the abilities that its most similar topic is a test of. */
async function extendAbilities({
  setFolder,
  known: { manifest },
  learned,
  sourceName,
}: DraftSources): Promise<Uint8Array> {
  const bytes = await readChecked(setFolder, { file: ABILITIES_FILE, manifest });
  const abilities = JSON.parse(Buffer.from(bytes).toString("utf8")) as { readonly topics: readonly object[] };
  const added = Array.from(learned.likeTopic, (like, topic) => ({
    ...abilities.topics[like],
    name: `${sourceName}/${topic + 1}`,
  }));
  return Buffer.from(
    `${JSON.stringify({ ...abilities, topics: [...abilities.topics, ...added] })}\n`,
    "utf8",
  );
}

/** Measures how similar the prompts of the traffic are to each other; the other sources keep their figures. */
async function withSimilarity(
  { vectors, facts, sources }: JoinedAnchors,
  { lists, seed }: { readonly lists: StoredIndex; readonly seed: number },
): Promise<Manifest["sources"]> {
  const { index } = await openAnchorIndex(vectors, lists);
  const vectorOf = (anchor: number) => decodeRow(vectors, anchor);
  const anchors = { count: sources.length, ofAnchor: facts.source };
  const similarity = sourceSimilarities({ sources: anchors, index, vectorOf }, { seed }).at(-1);
  return sources.map((source, at) =>
    at === sources.length - 1 && similarity !== undefined ? { ...source, similarity } : source,
  );
}
