import { rm } from "node:fs/promises";
import type { ModelDescription } from "../../engine/catalog/model-description.js";
import type { Embedder } from "../../engine/embedding/embedder.js";
import { decodeRow, describeByName } from "../../engine/index.js";
import type { Manifest } from "../../engine/profiles/manifest.js";
import type { AnchorVectors } from "../../engine/search/anchor-vectors.js";
import { type PublishedScore, readPublishedScores } from "../outcomes/published-scores.js";
import { mixedScales } from "../outcomes/score-scales.js";
import { type BuildOptions, buildProfileSet } from "./build-profile-set.js";
import { type CollectOutcomesOptions, collectOutcomes, type OutcomeSource } from "./collect.js";
import { embedPrompts } from "./embed-prompts.js";
import type { ModelOutcomes, OutcomeTable } from "./outcome-table.js";
import { divideTopics } from "./topic-clusters.js";

/**
 * Options of a build, apart from the source of the outcomes. `<folder>.partial` holds the checkpoint of an interrupted
 * build.
 */
export interface BuildFromOutcomesOptions extends CollectOutcomesOptions, Omit<BuildOptions, "onStage"> {
  readonly embedder: Embedder;
  /** Files of published scores, which also place models. */
  readonly scores?: readonly string[];
  /** Models to place even without a score, by their description. */
  readonly alsoPlace?: readonly string[];
  /** `total` is 0 while it is unknown. */
  readonly onProgress?: ((step: string, done: number, total: number) => void) | undefined;
  /** Called with a sentence for the user. */
  readonly onNote?: ((note: string) => void) | undefined;
}

export interface BuiltSet {
  readonly manifest: Manifest;
  readonly table: OutcomeTable;
}

/**
 * Builds a profile set from outcome files: collects, embeds (resuming an interrupted build), fits, tunes, writes. The
 * same files, embedder, seed and `builtAt` give the same bytes.
 *
 * @throws OutcomeDataError at the first fault of the files
 */
export async function buildFromOutcomes(
  sources: readonly OutcomeSource[],
  options: BuildFromOutcomesOptions,
): Promise<BuiltSet> {
  const { embedder, folder, onProgress } = options;
  const measured = await collectOutcomes(sources, {
    ...options,
    onRows: (rows) => onProgress?.("read", rows, 0),
  });
  noteLeftOut(measured, options);
  const scores = await readScores(options);
  const named = withPlacedModels(measured, { scores, alsoPlace: options.alsoPlace });
  const checkpointFile = `${folder}.partial`;
  const { vectors, tiers, answerTokens } = await embedPrompts(
    { sources, promptIds: named.promptIds, embedder },
    { ...options, checkpointFile, onProgress: (done, total) => onProgress?.("embed", done, total) },
  );
  const table = withTopicClusters(named, { vectors, seed: options.seed });
  const onStage = (stage: string, done: number, total: number) => {
    // The later steps compute without a pause; between them is where a stop can be heeded.
    options.signal?.throwIfAborted();
    onProgress?.(stage, done, total);
  };
  const difficulty = tiers && embedder.difficulty && { tiers, fingerprint: embedder.difficulty.fingerprint };
  const manifest = await buildProfileSet(
    { table, scores, vectors, embedder, answerTokens, difficulty },
    { ...options, onStage, describe: describeFrom(scores, options.describe) },
  );
  await rm(checkpointFile, { force: true });
  return { manifest, table };
}

async function readScores({
  scores = [],
  rename,
  signal,
}: BuildFromOutcomesOptions): Promise<PublishedScore[]> {
  const found: PublishedScore[] = [];
  for (const file of scores) {
    const options = {
      rename: (model: string, effort: string | null | undefined) =>
        rename?.(model, { effort, modelSource: undefined }) ?? model,
      signal,
    };
    for await (const score of readPublishedScores(file, options)) found.push(score);
  }
  return found;
}

/** Models then have a skill on each kind of prompt: docs/decisions/adding-models.md. */
function withTopicClusters(
  table: OutcomeTable,
  { vectors, seed }: { readonly vectors: AnchorVectors; readonly seed: number },
): OutcomeTable {
  const { topics, topicOf, unlabelledTopics = [] } = table;
  const vectorOf = (anchor: number) => decodeRow(vectors, anchor);
  const { names, isCluster, ofAnchor } = divideTopics({
    topics,
    topicOf,
    vectorOf,
    seed,
    // A single topic, whatever its name, does not tell prompts apart.
    unlabelled: topics.length === 1 ? topics : unlabelledTopics,
  });
  return {
    ...table,
    topics: names,
    topicOf: ofAnchor,
    clusteredTopics: names.filter((_, topic) => isCluster[topic]),
  };
}

/** With fewer published scores, a placement would depend almost only on maker and price. */
const FEWEST_SCORES_TO_PLACE = 2;

/** Adds a column without answers for every other model with enough published scores or that is requested. */
function withPlacedModels(
  table: OutcomeTable,
  {
    scores,
    alsoPlace = [],
  }: { readonly scores: readonly PublishedScore[]; readonly alsoPlace?: readonly string[] | undefined },
): OutcomeTable {
  const measured = new Set(table.models.map(({ model }) => model));
  const benchmarks = new Map<string, Set<string>>();
  for (const { model, benchmark } of scores) {
    if (measured.has(model)) continue;
    benchmarks.set(model, (benchmarks.get(model) ?? new Set()).add(benchmark));
  }
  const scored = [...benchmarks].filter(([, names]) => names.size >= FEWEST_SCORES_TO_PLACE);
  const asked = alsoPlace.filter((model) => !measured.has(model));
  const placed = new Set([...scored.map(([model]) => model), ...asked]);
  const models = [...table.models, ...[...placed].map(withoutAnswers)].sort((a, b) =>
    a.model < b.model ? -1 : 1,
  );
  return { ...table, models };
}

function withoutAnswers(model: string): ModelOutcomes {
  const none = new Float32Array(0);
  return {
    model,
    originalNames: [model],
    anchors: new Uint32Array(0),
    quality: none,
    samples: new Uint16Array(0),
    tokensOut: none,
    costUsd: none,
  };
}

/** Descriptions from the files of scores, for models without a better one. */
function describeFrom(
  scores: readonly PublishedScore[],
  describe: (model: string) => ModelDescription = describeByName,
): (model: string) => ModelDescription {
  const facts = new Map<string, Pick<PublishedScore, "released" | "outputUsdPerMtok">>();
  for (const score of scores) {
    const base = describe(score.model).base;
    const known = facts.get(base);
    facts.set(base, {
      released: known?.released ?? score.released,
      outputUsdPerMtok: known?.outputUsdPerMtok ?? score.outputUsdPerMtok,
    });
  }
  return (model) => {
    const description = describe(model);
    const known = facts.get(description.base);
    return {
      ...description,
      released: description.released ?? known?.released ?? null,
      outputUsdPerMtok: description.outputUsdPerMtok ?? known?.outputUsdPerMtok ?? null,
    };
  };
}

function noteLeftOut(table: OutcomeTable, options: BuildFromOutcomesOptions): void {
  const mixed = mixedScales(table.scales ?? []);
  if (mixed !== undefined) options.onNote?.(mixed);
  for (const { name, rows, rowsOfUnknownPrompts, promptsWithoutScore } of table.sources) {
    if (rowsOfUnknownPrompts > 0) {
      options.onNote?.(
        `${name}: left out ${rowsOfUnknownPrompts} of ${rows} outcome rows, whose prompts are not there.`,
      );
    }
    if (promptsWithoutScore > 0) {
      options.onNote?.(`${name}: left out ${promptsWithoutScore} prompts that no model was scored on.`);
    }
  }
}
