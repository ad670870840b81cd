/** Where a set is written, and how the old one is replaced. */
import { existsSync, renameSync } from "node:fs";
import { mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { MANIFEST_FILE } from "./manifest.js";

/** Beside the folder of a set: the one that is being written, and the one that it replaces. */
const [DRAFT, OLD] = [".draft", ".old"];

export interface Replacing {
  /** Whether a set in the folder is replaced. */
  readonly replace: boolean;
  /** The option that says so, for messages; absent where there is none. */
  readonly option?: string;
}

/** Why a set cannot be written to a folder, as the end of a sentence; undefined when it is new or empty, or its set is replaced. */
export async function targetProblem(
  folder: string,
  { replace, option }: Replacing,
): Promise<string | undefined> {
  const place = placeOf(folder);
  if (!existsSync(place) || (await readdir(place)).length === 0) return undefined;
  if (!existsSync(join(place, MANIFEST_FILE)))
    return "holds other files and no profile set; name a new folder";
  if (replace) return undefined;
  const remedy = option === undefined ? "name a new folder" : `use ${option} to replace it`;
  return `holds a profile set already; ${remedy}`;
}

/**
 * Writes a folder anew. A kill at any moment leaves the old content or the new one, and a failure the old one alone.
 *
 * @param write gets an empty folder beside it, which takes its place when the promise resolves
 */
export async function writeSetFolder<Result>(
  folder: string,
  write: (draft: string) => Promise<Result>,
): Promise<Result> {
  const [draft, old] = [`${folder}${DRAFT}`, `${folder}${OLD}`];
  if (!existsSync(folder) && existsSync(old)) renameSync(old, folder);
  await rm(draft, { recursive: true, force: true });
  await rm(old, { recursive: true, force: true });
  try {
    await mkdir(draft, { recursive: true });
    const result = await write(draft);
    await mkdir(dirname(folder), { recursive: true });
    // Nothing of this process comes between, and `placeOf` finds the old one should the process be killed there.
    if (existsSync(folder)) renameSync(folder, old);
    renameSync(draft, folder);
    await rm(old, { recursive: true, force: true });
    return result;
  } catch (error) {
    if (!existsSync(folder) && existsSync(old)) renameSync(old, folder);
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

/** Where a set is to be read: its folder, or the old one if a kill came between the two renames of a replacement. */
export function placeOf(folder: string): string {
  const old = `${folder}${OLD}`;
  return !existsSync(folder) && existsSync(join(old, MANIFEST_FILE)) ? old : folder;
}

/** Whether a folder beside that of a set is a part of its being replaced, and no set of its own. */
export const isLeftOver = (folder: string): boolean =>
  folder.endsWith(DRAFT) || (folder.endsWith(OLD) && existsSync(folder.slice(0, -OLD.length)));
