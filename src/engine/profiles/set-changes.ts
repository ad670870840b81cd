import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { findSets } from "./load.js";

/**
 * Notices when profile sets are built again, replaced, added, removed, damaged, or given other models. Looks at the times of the files of
 * each set, and of its folder of models, which changes when a model is added, replaced or removed: that works on network file systems and
 * with folders behind links, where notifications do not. What is written over a model's own file in place is not noticed.
 */
export class SetChanges {
  readonly #folders: readonly string[];
  /** As of the first look, then as of the last change that was reported. */
  #known: string | undefined;
  #last: string | undefined;

  /** @param folders sets, or folders of sets */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /**
   * Looks at the files. The first look reports nothing.
   *
   * @returns true once for each change, when two looks in a row found the same: sets that are being copied are not complete
   */
  async look(): Promise<boolean> {
    const now = await stateOf(this.#folders);
    const hasSettled = now !== undefined && now === this.#last;
    this.#last = now;
    this.#known ??= now;
    if (!hasSettled || now === this.#known) return false;
    this.#known = now;
    return true;
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

async function fileState(path: string): Promise<string> {
  const { ino, size, mtimeNs } = await stat(path, { bigint: true });
  return `${path} ${ino} ${size} ${mtimeNs}`;
}
