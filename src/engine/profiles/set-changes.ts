import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { FileChanges, fileState } from "../../foundation/file-changes.js";
import { findSets } from "./load.js";

/**
 * Notices when profile sets are built again, replaced, added, removed, damaged, or given other models. Looks at the files of each set,
 * and at its folder of models, which changes when a model is added, replaced or removed. What is written over a model's own file in place
 * is not noticed.
 */
export class SetChanges extends FileChanges {
  /** @param folders sets, or folders of sets */
  constructor(folders: readonly string[]) {
    super(() => stateOf(folders));
  }
}

/** Changes with the sets on disk; undefined while there is none, or one is being replaced. */
async function stateOf(folders: readonly string[]): Promise<string | undefined> {
  try {
    const sets = (await Promise.all(folders.map(findSets))).flat();
    if (sets.length === 0) return undefined;
    const paths = (await Promise.all(sets.map(pathsIn))).flat();
    return (await Promise.all(paths.map(fileState))).join("\n");
  } catch {
    return undefined;
  }
}

/** A set's folder, and what is in it: some ten files, and the folder of the models. */
async function pathsIn(set: string): Promise<string[]> {
  const names = await readdir(set);
  return [set, ...names.sort().map((name) => join(set, name))];
}
