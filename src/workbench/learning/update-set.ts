import type { Embedder } from "../../engine/embedding/embedder.js";
import { checkEmbedder, readManifest } from "../../engine/index.js";
import { collectOutcomes } from "../fitting/collect.js";
import { embedPrompts } from "../fitting/embed-prompts.js";
import { removeEmbeddingCheckpoint } from "../fitting/embedding-checkpoint.js";
import { type ExtendOptions, extendSet, type ExtendedSet as UpdatedSet } from "./extend-set.js";

export type { UpdatedSet };

export interface UpdateOptions extends Omit<ExtendOptions, "embedder" | "sourceName"> {
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
): Promise<UpdatedSet> {
  const { folder, signal, onProgress } = options;
  const manifest = await readManifest(setFolder);
  checkEmbedder(setFolder, manifest, embedder);
  const sourceName = newName(manifest.sources.map(({ name }) => name));
  const files = { prompts: [outcomesFolder], outcomes: [outcomesFolder] };
  const source = { name: sourceName, licence: null, commit: null, url: null, ...files };
  const table = await collectOutcomes([source], {
    signal,
    rename: (model) => rename?.(model) ?? model,
    onRows: (rows) => onProgress?.("read", rows, 0),
  });
  const checkpointFolder = `${folder}.partial`;
  const { vectors, tiers, answerTokens } = await embedPrompts(
    { sources: [source], promptIds: table.promptIds, embedder },
    {
      signal,
      checkpointFolder,
      onProgress: (done, total) => onProgress?.("embed", done, total),
      onNote,
    },
  );
  const extended = await extendSet(
    setFolder,
    { table, vectors, tiers, answerTokens },
    { ...options, embedder, sourceName },
  );
  await removeEmbeddingCheckpoint(checkpointFolder);
  return extended;
}

/** `traffic`, `traffic-2`, …: a set may learn again and again. */
function newName(taken: readonly string[]): string {
  let name = "traffic";
  for (let count = 2; taken.includes(name); count++) name = `traffic-${count}`;
  return name;
}
