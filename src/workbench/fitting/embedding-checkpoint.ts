import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../foundation/replace-file.js";

/** What is computed of each prompt, as bytes. */
interface EmbeddedColumn {
  readonly bytes: Uint8Array;
  readonly bytesPerPrompt: number;
}

/** Data of the first prompts of a build, kept in a file so that an interrupted build can resume. */
export interface EmbeddingCheckpoint {
  /** Number of prompts whose data was read back when the checkpoint was opened. */
  readonly resumedAt: number;
  /** True when the file was the checkpoint of another build, or damaged. */
  readonly replaced: boolean;
  /** Makes the data of the first `done` prompts durable. */
  save(done: number): Promise<void>;
}

interface CheckpointedBuild {
  /** Identifies everything that determines the data: hex digits. */
  readonly fingerprint: string;
  readonly columns: readonly EmbeddedColumn[];
}

/** Opens the checkpoint at a path, which need not exist. Data of the same build is read into its columns. */
export async function openEmbeddingCheckpoint(
  path: string,
  { fingerprint, columns }: CheckpointedBuild,
): Promise<EmbeddingCheckpoint> {
  await mkdir(dirname(path), { recursive: true });
  const stored = await readFile(path).catch(() => Buffer.alloc(0));
  const isSame = stored.toString("latin1", 0, fingerprint.length) === fingerprint;
  const bytesPerPrompt = columns.reduce((sum, column) => sum + column.bytesPerPrompt, 0);
  const resumedAt = isSame ? Math.floor((stored.length - fingerprint.length) / bytesPerPrompt) : 0;
  let start = fingerprint.length;
  for (const column of columns) {
    const end = start + resumedAt * column.bytesPerPrompt;
    column.bytes.set(stored.subarray(start, end));
    start = end;
  }
  return {
    resumedAt,
    replaced: stored.length > 0 && !isSame,
    save(done) {
      const kept = columns.map((column) => column.bytes.subarray(0, done * column.bytesPerPrompt));
      return replaceFile(path, Buffer.concat([Buffer.from(fingerprint), ...kept]));
    },
  };
}
