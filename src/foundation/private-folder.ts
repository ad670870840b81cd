import { mkdirSync } from "node:fs";
import { chmod, lstat, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { isMainThread } from "node:worker_threads";

/** Rights of the group and of everybody else. */
const OF_OTHERS = 0o077;

/** Set on folders that all users write to, such as those of temporary files. */
const STICKY = 0o1000;

/** What this program keeps in its data folder, but for downloaded models, which are public. */
const OWN = /^(?:state\.db(?:[.-].+)?|server\.lock|traces\.duckdb(?:\..+)?|spill)$/;

interface PrivateFolderOptions {
  /** Changes the rights of a file or folder, as `chmod` of `node:fs/promises`. */
  readonly change?: (path: string, mode: number) => Promise<void>;
}

/**
 * Whatever this process and its children create from now on is readable by its owner alone: also what libraries create without
 * a mode, such as the write-ahead log of DuckDB. The mask is one for all threads, and the main thread's to set.
 */
export function createPrivately(): void {
  if (isMainThread) process.umask(OF_OTHERS);
}

/**
 * Makes a folder, and those above it, for their owner alone. The promise of `node:fs/promises` would reject with ENOENT where the
 * disk is full (Node 20). @throws what the system says
 */
export const makePrivateFolder = (path: string) => mkdirSync(path, { recursive: true, mode: 0o700 });

/**
 * Takes the rights of others from a folder and from the files in it that this program keeps there. Rights of the owner stay as they are;
 * links are not followed. A folder that does not exist is left to whoever creates it.
 *
 * @returns for an operator, what others can go on opening and what to do; undefined when there is nothing
 */
export async function makePrivate(
  folder: string,
  { change = chmod }: PrivateFolderOptions = {},
): Promise<string | undefined> {
  // Windows has no such rights.
  if (process.platform === "win32") return undefined;
  const open = await tighten(folder, { change, read: stat });
  for (const path of await ownFiles(folder)) open.push(...(await tighten(path, { change, read: lstat })));
  if (open.length === 0) return undefined;
  const more = open.length > 1 ? ` and ${open.length - 1} more` : "";
  return (
    `${open[0]}${more} can be opened by other users of this machine, and its rights cannot be changed. Prompts, answers and digests of keys ` +
    `are kept there: give the folder to the user of this process and run \`chmod -R go= ${folder}\`.`
  );
}

/** @returns the path when others have rights still */
async function tighten(
  path: string,
  { change, read }: Required<PrivateFolderOptions> & { readonly read: typeof lstat },
): Promise<string[]> {
  const before = await read(path).catch(() => undefined);
  if (before === undefined || before.isSymbolicLink() || (before.mode & OF_OTHERS) === 0) return [];
  // No one else could use a folder for all any more.
  if ((before.mode & STICKY) === 0) await change(path, before.mode & 0o7777 & ~OF_OTHERS).catch(() => {});
  // Some file systems accept the call and ignore it.
  const after = await read(path).catch(() => undefined);
  return after === undefined || (after.mode & OF_OTHERS) === 0
    ? []
    : [`${path} (mode ${modeText(after.mode)})`];
}

async function ownFiles(folder: string): Promise<string[]> {
  const own = (await namesIn(folder)).filter((name) => OWN.test(name));
  const spilled = (await namesIn(join(folder, "spill"))).map((name) => join("spill", name));
  return [...own, ...spilled].map((name) => join(folder, name));
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

const modeText = (mode: number): string => (mode & 0o777).toString(8).padStart(3, "0");
