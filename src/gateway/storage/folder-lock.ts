import { join } from "node:path";
import { ExplainedError } from "../../foundation/errors.js";
import { codeOf } from "../../foundation/file-fault.js";
import { makePrivateFolder } from "../../foundation/private-folder.js";
import { Connection } from "./connection.js";
import { SqliteStore } from "./sqlite-store.js";

/** In the data folder, and empty. */
const LOCK_FILE = "server.lock";
/** Id of the process that has the folder, or had it last. */
const HOLDER = { kind: "server", key: "process" };

export interface FolderLock {
  /** Why other servers are not kept out, for an operator; undefined when they are. */
  readonly problem: string | undefined;
  release(): void;
}

/** Another server has locked the folder. The message names the folder and the remedy. */
export class FolderInUseError extends ExplainedError {
  override readonly name = "FolderInUseError";
}

/**
 * Keeps other servers out of a folder, which is created when it is missing, until this process ends in whatever way: budgets are
 * counted in memory, and lengths and traces have one writer. It is a lock of SQLite on an empty file, which the system takes back.
 *
 * It holds for all processes of one machine, containers included. Where the file cannot be made, as in a folder that may not be
 * written, `problem` says so and the folder is not locked.
 *
 * @throws FolderInUseError
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  let connection: Connection | undefined;
  try {
    makePrivateFolder(folder);
    connection = Connection.toNew(join(folder, LOCK_FILE));
    connection.run("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (fault) {
    connection?.close();
    if (codeOf(fault) === "SQLITE_BUSY") throw await inUse(folder);
    const problem =
      `${folder} cannot be locked (${codeOf(fault)}): make sure that no other server uses it, or budgets ` +
      "would be counted wrongly.";
    return { problem, release() {} };
  }
  const held = connection;
  await withStore(folder, (store) => store.put(HOLDER, String(process.pid))).catch(() => {});
  return { problem: undefined, release: () => held.close() };
}

async function inUse(folder: string): Promise<FolderInUseError> {
  const holder = await withStore(folder, (store) => store.get(HOLDER)).catch(() => undefined);
  return new FolderInUseError(
    `${folder} is used by another server${holder === undefined ? "" : ` (process ${holder})`}, and only one can. ` +
      "Stop that one, or give this one a folder of its own with SEXTANT_DATA_DIR.",
  );
}

async function withStore<Result>(
  folder: string,
  work: (store: SqliteStore) => Promise<Result>,
): Promise<Result> {
  const store = new SqliteStore(folder);
  return work(store).finally(() => store.close());
}
