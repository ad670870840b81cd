import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { ExplainedError } from "../errors.js";

const LOCK_STALE_MS = 10_000;
const LOCK_RETRY_MS = 20;
const LOCK_ATTEMPTS = 750;
const REMEDY = "Set SEXTANT_DATA_DIR to a writable folder.";

/** A file of keys or spending cannot be read or written. The message says which file and what to do. */
export class AccessFileError extends ExplainedError {
  override readonly name = "AccessFileError";
}

/** One state of a file. Two states with the same stamp are the same. */
export interface FileState {
  /** Undefined while there is no file. */
  readonly text: string | undefined;
  readonly stamp: string;
}

/**
 * A small text file shared by any number of processes of this machine.
 *
 * A change is written to a new file, flushed to disk and renamed over the old one, so that a reader sees the old state
 * or the new one and a crash loses nothing. Writers take turns through a lock file beside it; a lock older than ten
 * seconds was left by a process that died, and is taken over. Only the owner may read the file.
 */
export class SharedFile {
  constructor(readonly path: string) {}

  /** Changes whenever the file does; `absent` while there is none. */
  async stamp(): Promise<string> {
    try {
      const { ino, size, mtimeMs } = await stat(this.path);
      return `${ino}:${size}:${mtimeMs}`;
    } catch {
      return "absent";
    }
  }

  /** @throws whatever the system says when the file is there and cannot be read */
  async read(): Promise<FileState> {
    const stamp = await this.stamp();
    return { text: stamp === "absent" ? undefined : await readFile(this.path, "utf8"), stamp };
  }

  /**
   * Replaces the text by what `change` makes of it, while no other writer can; undefined leaves the file as it is.
   *
   * @returns the new stamp
   * @throws AccessFileError when it cannot be written, and whatever `change` throws; then the file is as it was
   */
  async update(change: (text: string | undefined) => string | undefined): Promise<string> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause) => {
      throw new AccessFileError(`${folder} cannot be created. ${REMEDY}`, { cause });
    });
    const release = await this.#lock();
    try {
      const { text } = await this.read();
      const changed = change(text);
      if (changed !== undefined) await this.#replace(changed);
      return await this.stamp();
    } finally {
      await release();
    }
  }

  async #replace(text: string): Promise<void> {
    const temporary = `${this.path}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
    } catch (cause) {
      await rm(temporary, { force: true });
      throw new AccessFileError(`${this.path} cannot be written. ${REMEDY}`, { cause });
    }
    await syncFolder(dirname(this.path));
  }

  async #lock(): Promise<() => Promise<void>> {
    const lockPath = `${this.path}.lock`;
    for (let attempt = 0; attempt < LOCK_ATTEMPTS; attempt++) {
      try {
        await (await open(lockPath, "wx", 0o600)).close();
        return () => rm(lockPath, { force: true });
      } catch (cause) {
        if (!isCode(cause, "EEXIST")) {
          throw new AccessFileError(`${lockPath} cannot be written. ${REMEDY}`, { cause });
        }
      }
      if (await isStale(lockPath)) await rm(lockPath, { force: true });
      else await delay(LOCK_RETRY_MS);
    }
    throw new AccessFileError(
      `${lockPath} is held by another process. Try again, or remove it if none is running.`,
    );
  }
}

/** Makes the rename itself survive a power cut, where the system can flush folders. */
async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Windows cannot open folders; there the rename is as durable as the file system makes it.
  }
}

async function isStale(lockPath: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(lockPath);
    return Date.now() - mtimeMs > LOCK_STALE_MS;
  } catch {
    return false;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
