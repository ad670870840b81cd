import { randomUUID } from "node:crypto";
import { type FileHandle, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { isRunning } from "../foundation/is-running.js";
import { Journal } from "./journal/journal.js";
import { WorkbenchError } from "./workbench-error.js";

const JOURNAL = "journal.jsonl";
type LineFile = "prompts" | "outcomes" | "answers" | "failed";
const TEMPORARY = /^(prompts|outcomes|answers|failed)\.jsonl\.[\w-]+\.tmp$/;

/**
 * The folder that a collection is written to: its journal, and the files made from it, each of which is whole at every moment.
 * One process at a time has it open.
 */
export class CollectionFolder {
  private constructor(
    private readonly path: string,
    readonly journal: Journal,
    private readonly claim: FolderClaim,
  ) {}

  /** @throws WorkbenchError when it holds something else, or another process collects into it */
  static async open(path: string): Promise<CollectionFolder> {
    await mkdir(path, { recursive: true }).catch((cause: unknown) => {
      const detail = cause instanceof Error ? cause.message : String(cause);
      throw new WorkbenchError(`the folder ${path} cannot be made (${detail}); name another one`, { cause });
    });
    const names = await readdir(path);
    if (names.length > 0 && !names.some((name) => name === JOURNAL || name.endsWith(".lock"))) {
      throw new WorkbenchError(
        `the folder ${path} holds other files and no ${JOURNAL} of an earlier run; name a new folder`,
      );
    }
    const claim = await claimFolder(path);
    try {
      for (const name of names) if (TEMPORARY.test(name)) await rm(join(path, name), { force: true });
      return new CollectionFolder(path, await Journal.open(join(path, JOURNAL)), claim);
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  /** Replaces a file by one with these lines, at once; removes it when there are no lines. */
  async writeLines(name: LineFile, rows: readonly object[]): Promise<void> {
    const lines = await this.openLines(name);
    try {
      for (const row of rows) await lines.add(row);
      await lines.finish();
    } finally {
      await lines.discard();
    }
  }

  /** Begins a file that replaces the one of that name when it is finished. */
  async openLines(name: LineFile): Promise<LineWriter> {
    const path = join(this.path, `${name}.jsonl`);
    const temporary = `${path}.${randomUUID()}.tmp`;
    return new LineWriter(await open(temporary, "wx"), { path, temporary });
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.claim.release();
  }
}

/** Characters that are collected before they are written. */
const BLOCK = 1 << 20;

/** Writes a file of JSON lines beside the one that it replaces. */
export class LineWriter {
  #block = "";
  #lines = 0;
  #isOpen = true;

  constructor(
    private readonly file: FileHandle,
    private readonly paths: { readonly path: string; readonly temporary: string },
  ) {}

  async add(row: object): Promise<void> {
    this.#block += `${JSON.stringify(row)}\n`;
    this.#lines += 1;
    if (this.#block.length >= BLOCK) await this.#flush();
  }

  /** Puts the file in place; a file without lines is removed. */
  async finish(): Promise<void> {
    const { path, temporary } = this.paths;
    await this.#flush();
    await this.file.datasync();
    await this.#close();
    if (this.#lines > 0) return rename(temporary, path);
    await rm(temporary, { force: true });
    await rm(path, { force: true });
  }

  /** Leaves the file that was there as it is; nothing after `finish`. */
  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    await this.#close();
    await rm(this.paths.temporary, { force: true });
  }

  async #flush(): Promise<void> {
    const block = this.#block;
    this.#block = "";
    await this.file.writeFile(block);
  }

  async #close(): Promise<void> {
    this.#isOpen = false;
    await this.file.close();
  }
}

/** With the id of the process. */
const CLAIM = /^collecting-(\d+)-[\w-]+\.lock$/;

/** Names of the claims of this process. */
const held = new Set<string>();

/** A folder that no other process writes to. */
interface FolderClaim {
  release(): Promise<void>;
}

/**
 * Claims a folder for this process, with a file whose name holds its id. Claims of processes that have ended are removed, each by
 * its own name, so that no process removes a live one in its place; of two that claim at the same moment, neither may get it.
 *
 * @throws WorkbenchError when another process has it
 */
export async function claimFolder(folder: string): Promise<FolderClaim> {
  const own = `collecting-${process.pid}-${randomUUID()}.lock`;
  held.add(own);
  await (await open(join(folder, own), "wx")).close();
  const release = async () => {
    await rm(join(folder, own), { force: true });
    held.delete(own);
  };
  for (const name of await readdir(folder)) {
    const [, pid] = CLAIM.exec(name) ?? [];
    if (pid === undefined || name === own) continue;
    if (!held.has(name) && !isOther(Number(pid))) {
      await rm(join(folder, name), { force: true });
      continue;
    }
    await release();
    throw new WorkbenchError(
      `the process ${pid} is collecting into ${folder} already; wait until it has ended, or name another folder. ` +
        `If it does something else, remove ${join(folder, name)}`,
    );
  }
  return { release };
}

const isOther = (pid: number): boolean => pid !== process.pid && isRunning(pid);
