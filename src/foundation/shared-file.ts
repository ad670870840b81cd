import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExplainedError } from "./errors.js";
import { fileFaultMessage } from "./file-fault.js";
import { type HeldLock, LockTimeoutError, lockFile } from "./file-lock.js";

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

  /** @throws AccessFileError when the file is there and cannot be read */
  async read(): Promise<FileState> {
    const stamp = await this.stamp();
    if (stamp === "absent") return { text: undefined, stamp };
    const text = await readFile(this.path, "utf8").catch((cause) => {
      throw new AccessFileError(fileFaultMessage(`${this.path} cannot be read`, cause), { cause });
    });
    return { text, stamp };
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
      throw new AccessFileError(fileFaultMessage(`${folder} cannot be created`, cause), { cause });
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

  /** Removes what writers that died left beside the file, once no other process changes it. @throws AccessFileError */
  async removeLeftovers(): Promise<void> {
    const lock = await this.#lock();
    await this.#removeLeftovers().finally(() => lock.release());
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
      throw this.#unwritable(cause);
    }
    await syncFolder(dirname(this.path));
  }

  async #lock(): Promise<HeldLock> {
    try {
      return await lockFile(this.path);
    } catch (cause) {
      throw cause instanceof LockTimeoutError
        ? new AccessFileError(cause.message, { cause })
        : this.#unwritable(cause);
    }
  }

  /** The lock is held, so that no other process is writing a temporary file. */
  async #removeLeftovers(): Promise<void> {
    const [folder, file] = [dirname(this.path), basename(this.path)];
    for (const name of await readdir(folder)) {
      const left = LEFTOVER.exec(name)?.groups;
      if (left?.file !== file) continue;
      // Claims are those of processes that wait for the lock; whoever takes it removes stale ones.
      if (left.temporary !== undefined) await rm(join(folder, name), { force: true });
    }
  }

  #unwritable(cause: unknown): AccessFileError {
    return new AccessFileError(fileFaultMessage(`${this.path} cannot be written`, cause), { cause });
  }
}

/** A temporary file, or a claim of the lock, beside a shared file. */
const LEFTOVER = /^(?<file>[\w-]+\.jsonl?)\.(?:(?<temporary>[\w-]+\.tmp)|lock-[\w-]+)$/;

/**
 * Removes what processes that died left beside the shared files of a folder. Resolves when no other process changes them, which
 * is ten seconds after one died with the lock.
 *
 * @throws AccessFileError when the folder cannot be written
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  const files = new Set(names.flatMap((name) => LEFTOVER.exec(name)?.groups?.file ?? []));
  for (const file of files) await new SharedFile(join(folder, file)).removeLeftovers();
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
