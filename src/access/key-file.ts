import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { open, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type ApiKeyRecord, apiKeyRecordSchema } from "./api-key.js";

const LOCK_STALE_MS = 10_000;
const LOCK_RETRY_MS = 20;
const LOCK_ATTEMPTS = 750;

const fileSchema = z.object({ version: z.literal(1), keys: z.array(apiKeyRecordSchema) });

/** The key file cannot be read or written. The message says which file and what to do. */
export class KeyFileError extends Error {
  override readonly name = "KeyFileError";
}

/** One state of the file. Two states with the same stamp are the same. */
export interface KeyFileState {
  readonly keys: readonly ApiKeyRecord[];
  readonly stamp: string;
}

/**
 * `keys.json` in the data folder, shared by any number of processes of this machine.
 *
 * A change is written to a new file, flushed to disk and renamed over the old one, so that a reader sees the old state
 * or the new one and a crash loses nothing. Writers take turns through a lock file beside it; a lock older than ten
 * seconds was left by a process that died, and is taken over.
 */
export class KeyFile {
  readonly path: string;

  constructor(dataDir: string) {
    this.path = join(dataDir, "keys.json");
  }

  /** Changes whenever the file does; `absent` while there is none. */
  async stamp(): Promise<string> {
    try {
      const { ino, size, mtimeMs } = await stat(this.path);
      return `${ino}:${size}:${mtimeMs}`;
    } catch {
      return "absent";
    }
  }

  /** @throws KeyFileError when the file exists and is not a key file */
  async read(): Promise<KeyFileState> {
    const stamp = await this.stamp();
    if (stamp === "absent") return { keys: [], stamp };
    try {
      const { keys } = fileSchema.parse(JSON.parse(await readFile(this.path, "utf8")));
      return { keys, stamp };
    } catch (cause) {
      throw new KeyFileError(
        `${this.path} is not a readable key file. Restore it from a backup, or move it away to start without keys.`,
        { cause },
      );
    }
  }

  /**
   * Replaces the keys by what `change` makes of them, while no other writer can.
   *
   * @returns the new state
   * @throws KeyFileError, and whatever `change` throws; then the file is as it was
   */
  async update(change: (keys: readonly ApiKeyRecord[]) => readonly ApiKeyRecord[]): Promise<KeyFileState> {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw new KeyFileError(
        `${dirname(this.path)} cannot be created. Set SEXTANT_DATA_DIR to a writable folder.`,
        {
          cause,
        },
      );
    }
    const release = await this.#lock();
    try {
      const { keys } = await this.read();
      const changed = change(keys);
      if (changed !== keys) this.#replace(changed);
      return { keys: changed, stamp: await this.stamp() };
    } finally {
      release();
    }
  }

  #replace(keys: readonly ApiKeyRecord[]): void {
    const temporary = `${this.path}.${randomUUID()}.tmp`;
    const descriptor = openSync(temporary, "wx", 0o600);
    try {
      writeSync(descriptor, `${JSON.stringify({ version: 1, keys }, null, 2)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, this.path);
    syncFolder(dirname(this.path));
  }

  async #lock(): Promise<() => void> {
    const lockPath = `${this.path}.lock`;
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      try {
        await (await open(lockPath, "wx", 0o600)).close();
        return () => rmSync(lockPath, { force: true });
      } catch (cause) {
        if (!isCode(cause, "EEXIST")) {
          const remedy = "Set SEXTANT_DATA_DIR to a writable folder.";
          throw new KeyFileError(`${lockPath} cannot be written. ${remedy}`, { cause });
        }
      }
      if (isStale(lockPath)) rmSync(lockPath, { force: true });
      else await delay(LOCK_RETRY_MS);
    }
    throw new KeyFileError(
      `${lockPath} is held by another process. Try again, or remove it if none is running.`,
    );
  }
}

/** Makes the rename itself survive a power cut, where the system can flush folders. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Windows cannot open folders; there the rename is as durable as the file system makes it.
  }
}

function isStale(lockPath: string): boolean {
  try {
    return Date.now() - statSync(lockPath).mtimeMs > LOCK_STALE_MS;
  } catch {
    return false;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
