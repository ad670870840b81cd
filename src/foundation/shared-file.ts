import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExplainedError } from "./errors.js";
import { type HeldLock, LockTimeoutError, lockFile } from "./file-lock.js";

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
 * or the new one and a crash loses nothing. One writer at a time changes it. Only the owner may read the file.
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
  async update(
    change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<string> {
    const folder = dirname(this.path);
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause) => {
      throw new AccessFileError(`${folder} cannot be created. ${REMEDY}`, { cause });
    });
    const lock = await this.#lock();
    try {
      const { text } = await this.read();
      const changed = await change(text);
      if (changed !== undefined) {
        if (!(await lock.isHeld()))
          throw new AccessFileError(
            `${this.path} was not written: this process stood still for too long. Try again.`,
          );
        await this.#removeLeftovers();
        await this.#replace(changed);
      }
      return await this.stamp();
    } finally {
      await lock.release();
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

  async #lock(): Promise<HeldLock> {
    try {
      return await lockFile(this.path);
    } catch (cause) {
      const reason =
        cause instanceof LockTimeoutError ? cause.message : `${this.path} cannot be locked. ${REMEDY}`;
      throw new AccessFileError(reason, { cause });
    }
  }

  /** Removes temporary files of writers that died; the lock is held, so that no other process is writing. */
  async #removeLeftovers(): Promise<void> {
    const [folder, prefix] = [dirname(this.path), `${basename(this.path)}.`];
    for (const name of await readdir(folder))
      if (name.startsWith(prefix) && name.endsWith(".tmp")) await rm(join(folder, name), { force: true });
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
