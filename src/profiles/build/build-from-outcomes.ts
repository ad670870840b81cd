import type { Embedder } from "../../embedding/embedder.js";
import type { Manifest } from "../manifest.js";
import { buildProfileSet } from "./build-profile-set.js";
import { type CollectOptions, collectOutcomes, type OutcomeSource } from "./collect.js";
import { embedPrompts } from "./embed-prompts.js";
import { removeEmbeddingCheckpoint } from "./embedding-checkpoint.js";
import type { OutcomeTable } from "./outcome-table.js";
import type { GatherEvidence } from "./tune.js";

/** Everything of a build but where the figures come from. */
export interface BuildFromOutcomesOptions extends CollectOptions {
  readonly name: string;
  /** Set folder to write; replaced when it exists. `<folder>.partial` holds what an interrupted build goes on with. */
  readonly folder: string;
  readonly embedder: Embedder;
  /** The router's estimator, by which the set is tuned. */
  readonly gather: GatherEvidence;
  readonly seed: number;
  /** ISO 8601, UTC. */
  readonly builtAt: string;
  /** Folder for short-lived files. */
  /** `total` is 0 while it is not known. */
  readonly onProgress?: (step: string, done: number, total: number) => void;
  /** Called with a sentence for a person. */
  readonly onNote?: (note: string) => void;
}

export interface BuiltSet {
  readonly manifest: Manifest;
  readonly table: OutcomeTable;
}

/**
 * Outcome files → a profile set: collects, embeds (going on where an interrupted build stopped), fits, tunes, writes.
 * The same files, embedder, seed and `builtAt` give the same bytes.
 *
 * @throws OutcomeDataError at the first fault of the files
 */
export async function buildFromOutcomes(
  sources: readonly OutcomeSource[],
  options: BuildFromOutcomesOptions,
): Promise<BuiltSet> {
  const { embedder, folder, name, seed, builtAt, gather, onProgress } = options;
  const table = await collectOutcomes(sources, {
    ...options,
    onRows: (rows) => onProgress?.("read", rows, 0),
  });
  noteLeftOut(table, options);
  const checkpointFolder = `${folder}.partial`;
  const vectors = await embedPrompts(
    { sources, promptIds: table.promptIds, embedder },
    { ...options, checkpointFolder, onProgress: (done, total) => onProgress?.("embed", done, total) },
  );
  const onStage = (stage: string, done: number, total: number) => {
    // The later steps compute without a pause; between them is where a stop can be heeded.
    options.signal?.throwIfAborted();
    onProgress?.(stage, done, total);
  };
  const manifest = await buildProfileSet(
    { table, vectors, embedder },
    { folder, name, seed, builtAt, gather, onStage },
  );
  await removeEmbeddingCheckpoint(checkpointFolder);
  return { manifest, table };
}

function noteLeftOut(table: OutcomeTable, options: BuildFromOutcomesOptions): void {
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
