import { randomUUID } from "node:crypto";
import { open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ExplainedError, StorageError } from "./errors.js";
import { fileFaultMessage } from "./file-fault.js";
import { type HeldLock, isOfLiving, lockFile } from "./file-lock.js";
import { makePrivateFolder } from "./private-folder.js";

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

  /** @throws StorageError when the file is there and cannot be read */
  async read(): Promise<FileState> {
    const stamp = await this.stamp();
    if (stamp === "absent") return { text: undefined, stamp };
    const text = await readFile(this.path, "utf8").catch((cause) => {
      throw new StorageError(fileFaultMessage(`${this.path} cannot be read`, cause), { cause });
    });
    return { text, stamp };
  }

  /**
   * Replaces the text by what `change` makes of it, while no other writer can; undefined leaves the file as it is.
   *
   * @returns the new stamp
   * @throws StorageError when it cannot be written, and whatever `change` throws; then the file is as it was
   */
  async update(
    change: (text: string | undefined) => string | undefined | Promise<string | undefined>,
  ): Promise<string> {
    let lock: HeldLock;
    try {
      makePrivateFolder(dirname(this.path));
      lock = await lockFile(this.path);
    } catch (cause) {
      throw this.#unwritable(cause);
    }
    try {
      await this.#removeLeftovers();
      const { text } = await this.read();
      const changed = await change(text);
      if (changed !== undefined) await this.#replace(changed, lock);
      return await this.stamp();
    } finally {
      await lock.release();
    }
  }

  async #replace(text: string, lock: HeldLock): Promise<void> {
    const temporary = `${this.path}.${randomUUID()}.tmp`;
    try {
      const file = await open(temporary, "wx", 0o600);
      try {
        await file.writeFile(text);
        await file.sync();
      } finally {
        await file.close();
      }
      if (!(await lock.isHeld()))
        throw new StorageError(
          `${this.path} was not written: this process was suspended for too long, or a server started. Try again.`,
        );
      await rename(temporary, this.path);
    } catch (cause) {
      await remove(temporary);
      throw this.#unwritable(cause);
    }
    await syncFolder(dirname(this.path));
  }

  /** The lock is held, so that no other process is writing a temporary file. Claims are those of processes that wait for it. */
  async #removeLeftovers(): Promise<void> {
    const folder = dirname(this.path);
    for (const name of await readdir(folder)) {
      const { file, temporary } = LEFTOVER.exec(name)?.groups ?? {};
      if (file === basename(this.path) && temporary !== undefined) await remove(join(folder, name));
    }
  }

  #unwritable(cause: unknown): StorageError {
    const isExplained = cause instanceof ExplainedError;
    const message = isExplained ? cause.message : fileFaultMessage(`${this.path} cannot be written`, cause);
    return new StorageError(message, { cause });
  }
}

/** A temporary file, or a claim of the lock, beside a shared file. */
const LEFTOVER = /^(?<file>[\w-]+\.jsonl?)\.(?:(?<temporary>[\w-]+\.tmp)|lock-[\w-]+)$/;

/**
 * Removes what processes that died left beside the shared files of a folder. For a server that has started and has the folder to
 * itself: claims of processes that are not known to live are those of an earlier server, perhaps in another container, and are
 * removed at once. A command there that is changing a file says so (`isHeld`). Resolves when no other process changes the files.
 *
 * @throws StorageError when the folder cannot be written
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const files = new Set<string>();
  for (const name of await readdir(folder).catch(() => [])) {
    const { file, temporary } = LEFTOVER.exec(name)?.groups ?? {};
    if (file === undefined) continue;
    files.add(file);
    if (temporary === undefined && isOfLiving(name) !== true) await remove(join(folder, name));
  }
  for (const file of files) await new SharedFile(join(folder, file)).update(() => undefined);
}

/** As far as that can be done: nothing depends on it. */
const remove = (path: string): Promise<void> => rm(path, { force: true }).catch(() => {});

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
