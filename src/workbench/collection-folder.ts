import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { claimFolder, type FolderClaim } from "./journal/folder-claim.js";
import { Journal } from "./journal/journal.js";
import { WorkbenchError } from "./workbench-error.js";

const JOURNAL = "journal.jsonl";
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

  /** Replaces a file by one with these lines, at once; removes it when there are none. */
  async writeLines(
    name: "prompts" | "outcomes" | "answers" | "failed",
    rows: readonly object[],
  ): Promise<void> {
    const path = join(this.path, `${name}.jsonl`);
    if (rows.length === 0) {
      await rm(path, { force: true });
      return;
    }
    const temporary = `${path}.${randomUUID()}.tmp`;
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  }

  async close(): Promise<void> {
    await this.journal.close();
    await this.claim.release();
  }
}
