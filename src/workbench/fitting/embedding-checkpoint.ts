import { mkdir, open, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../../foundation/replace-file.js";

/** Embedded data as bytes, written and read unchanged. */
export interface EmbeddedBytes {
  /** Bytes per prompt in each file, by file name. */
  readonly files: readonly {
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly bytesPerPrompt: number;
  }[];
}

const STATE_FILE = "state.json";
const FORMAT = 1;

/** Data of the first prompts of a build, stored in a folder so that an interrupted build can resume. */
export interface EmbeddingCheckpoint {
  /** Number of prompts whose data was read back when the checkpoint was opened. */
  readonly resumedAt: number;
  /** True when the folder had the checkpoint of another build, which was deleted. */
  readonly replaced: boolean;
  /** Makes the data of the first `done` prompts durable; `done` never decreases. */
  save(done: number): Promise<void>;
}

/**
 * Opens the checkpoint in `folder`, creating the folder if necessary. Data of the same build is read into `embedded`; a
 * checkpoint with another fingerprint, or a damaged one, is discarded.
 *
 * @param build `fingerprint` identifies everything that determines the data
 */
export async function openEmbeddingCheckpoint(
  folder: string,
  build: { readonly fingerprint: string; readonly embedded: EmbeddedBytes },
): Promise<EmbeddingCheckpoint> {
  await mkdir(folder, { recursive: true });
  const state = await readState(folder);
  const same = state !== undefined && state.format === FORMAT && state.fingerprint === build.fingerprint;
  const resumedAt = same && (await readBack(folder, build.embedded, { done: state.done })) ? state.done : 0;
  let saved = resumedAt;
  return {
    resumedAt,
    replaced: state !== undefined && resumedAt === 0 && state.done > 0,
    async save(done) {
      for (const file of build.embedded.files) await writeFigures(folder, file, { from: saved, to: done });
      await writeState(folder, { format: FORMAT, fingerprint: build.fingerprint, done });
      saved = done;
    },
  };
}

/** Removes a checkpoint; to be called when the profile set is complete. */
export async function removeEmbeddingCheckpoint(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

interface CheckpointState {
  readonly format: number;
  readonly fingerprint: string;
  /** Prompts whose data is complete in every file. */
  readonly done: number;
}

async function readState(folder: string): Promise<CheckpointState | undefined> {
  const text = await readFile(join(folder, STATE_FILE), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { format, fingerprint, done } = JSON.parse(text) as Partial<CheckpointState>;
    const whole = typeof done === "number" && Number.isSafeInteger(done) && done >= 0;
    if (typeof format !== "number" || typeof fingerprint !== "string" || !whole) return undefined;
    return { format, fingerprint, done };
  } catch {
    return undefined;
  }
}

const writeState = (folder: string, state: CheckpointState): Promise<void> =>
  replaceFile(join(folder, STATE_FILE), JSON.stringify(state));

async function readBack(
  folder: string,
  embedded: EmbeddedBytes,
  { done }: { readonly done: number },
): Promise<boolean> {
  for (const { name, bytes, bytesPerPrompt } of embedded.files) {
    const length = done * bytesPerPrompt;
    const handle = await open(join(folder, name), "r").catch(() => undefined);
    if (handle === undefined || length > bytes.length) return false;
    try {
      if ((await handle.read(bytes, 0, length, 0)).bytesRead < length) return false;
    } finally {
      await handle.close();
    }
  }
  return true;
}

async function writeFigures(
  folder: string,
  file: EmbeddedBytes["files"][number],
  prompts: { readonly from: number; readonly to: number },
): Promise<void> {
  const start = prompts.from * file.bytesPerPrompt;
  const length = prompts.to * file.bytesPerPrompt - start;
  const handle = await open(join(folder, file.name), prompts.from === 0 ? "w" : "r+");
  try {
    await handle.write(file.bytes, start, length, start);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
