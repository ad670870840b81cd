import { randomUUID } from "node:crypto";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { WorkbenchError } from "../workbench-error.js";

/** With the id of the process. */
const CLAIM = /^collecting-(\d+)-[\w-]+\.lock$/;

/** Names of the claims of this process. */
const held = new Set<string>();

/** A folder that no other process writes to. */
export interface FolderClaim {
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
    if (!held.has(name) && !isRunning(Number(pid))) {
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

/** Whether another process of that id runs on this machine. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It runs, but as another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
