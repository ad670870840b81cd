import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { STATE_FILE } from "../../src/gateway/storage/sqlite-store.js";

/** Gives one gateway's keys to another, which does not run yet. The first one must not be writing. */
export async function copyState(fromFolder: string, toFolder: string): Promise<void> {
  // The file first: what is moved into it meanwhile stays in the log.
  for (const name of [STATE_FILE, `${STATE_FILE}-wal`])
    await copyFile(join(fromFolder, name), join(toFolder, name));
}
